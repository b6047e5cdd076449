#pragma once

#include <string>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/nn/transformer.h"

#include "oracle/oracle.h"

/// Small models, batches and weights for the tests of nn/, and their translation into the oracle's terms.
namespace plumb::test {

/// Three encoder and two decoder layers of width 8: unequal depths show a mix-up of the stacks.
ModelConfig tiny(Form form, const std::string& variant);

/// Three sequences of unequal length, one of a single token; sources and targets have different lengths.
Batch tiny_batch(const ModelConfig& model);
/// The b-th sequence of a batch alone.
Batch only(const Batch& batch, int64_t b);
/// The rows of sequence b in a matrix of the last stack.
at::Tensor rows_of(const at::Tensor& x, const Batch& batch, const ModelConfig& model, int64_t b);
const Tokens& last_tokens(const Batch& batch, const ModelConfig& model);

/// Every parameter random, none of them 0 or 1: a model at its initialisation (ReZero, FixUp) would prove nothing.
void randomise(Transformer& model, uint64_t seed);

oracle::Config oracle_config(const ModelConfig& model);
oracle::Weights oracle_weights(const Transformer& model);
/// The oracle's logits for every sequence of the batch, one below the other.
at::Tensor oracle_logits(const Transformer& model, const Batch& batch, oracle::Bug bug = oracle::Bug::None);

/// max |a - b| / max(1, max |b|)
double difference(const at::Tensor& a, const at::Tensor& b);

at::Tensor logits(const Transformer& model, const Batch& batch);
/// Mean label-smoothed cross-entropy against fixed targets.
at::Tensor loss(const Transformer& model, const Batch& batch, const Pass& pass = {});

/// "b2t_decoder": the name of a case in a test's output.
std::string case_name(const std::string& variant, Form form);

inline constexpr Form kForms[] = {Form::EncoderDecoder, Form::Decoder, Form::Encoder};

}  // namespace plumb::test
