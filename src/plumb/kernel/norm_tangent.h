#pragma once

#include <cstdint>

#include "plumb/kernel/norm.h"

namespace plumb::kernel {

// The tangent of a norm, and the gradient of norm and tangent together. For layer and rms, whose normalised row is
//
//     h = rstd (x - mean),   mean = 0 for rms
//
// With ' for tangents, <> for the mean over a row, and P q = q - <q> - h <h q> (rms: without <q>):
//
//     h' = rstd P x'
//     y' = weight h' + weight' h + bias'
//
// Of the slopes w of y and u of y', let a = weight u and b = weight w + weight' u. Then
//
//     dx' = rstd P a
//     dx  = rstd (P b - <h x'> dx' - <a h> h' - <a h'> h)
//     dweight = sum over the rows of w h + u h',  dbias = sum of w

/// What a row is made of; `dot_` names tangents, and those of the weights may be null: zero.
struct NormTangentTerms {
  NormTerms norm;
  const float *dot_weight = nullptr, *dot_bias = nullptr;  // [D]
  int64_t width = 0;                                       // D
  const float *x = nullptr, *dot_x = nullptr;              // [N, D]
};

struct NormTangentForward {
  NormTangentTerms terms;
  float *y = nullptr, *dot_y = nullptr;  // [N, D]
};

void norm_tangent_forward(const NormTangentForward& call, int64_t begin, int64_t end);

struct NormTangentBackward {
  NormTangentTerms terms;
  const float *dy = nullptr, *dy_dot = nullptr;  // [N, D], the first may be null: zero
  float *dx = nullptr, *dx_dot = nullptr;        // [N, D]
  NormGradients gradients = {};                  // written, as in norm_backward(); null: not wanted
};

void norm_tangent_backward(const NormTangentBackward& call, int64_t begin, int64_t end);

}  // namespace plumb::kernel
