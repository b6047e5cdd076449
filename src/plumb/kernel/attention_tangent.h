#pragma once

#include "plumb/kernel/attention.h"

namespace plumb::kernel {

// The tangent of attention, and the gradient of attention and tangent together, of one head of one sequence. With P the
// softmax, S the scores, F the factors of the dropout, ' for tangents and [ ] for the sum over the keys of a query:
//
//     S' = scale (q' k^T + q k'^T),   R = S' - [P S']
//     P' = P R
//     y' = F P' v + F P v'
//
// Of the slopes w of y and u of y', let U = F u v^T, W = F (w v^T + u v'^T). Then
//
//     dS' = P (U - [P U])
//     dS  = P W + R dS' - P [P W + R dS']
//     dq  = scale (dS k + dS' k'),   dq' = scale dS' k,   dk and dk' likewise
//     dv  = (F P)^T w + (F P')^T u,   dv' = (F P)^T u

/// Values and tangents of queries, keys and values, and what attention_forward() made of the values.
struct AttentionTangentSaved {
  HeadRows q, k, v, dot_q, dot_k, dot_v;
  const float* lse;
};

/// How many floats of scratch a call needs.
size_t attention_tangent_scratch(int64_t keys, int64_t width);

void attention_tangent_forward(const AttentionCall& call, const AttentionTangentSaved& saved, MutableHeadRows dot_y);

struct AttentionTangentGradients {
  MutableHeadRows q, k, v, dot_q, dot_k, dot_v;  // overwritten
};

void attention_tangent_backward(const AttentionCall& call, const AttentionTangentSaved& saved, HeadRows dy,
                                HeadRows dy_dot, const AttentionTangentGradients& gradients);

}  // namespace plumb::kernel
