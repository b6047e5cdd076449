// A training step on the fused path, once it has seen its batches: no op of the reference path, no memory from the
// system.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/memory/caching_allocator.h"
#include "plumb/ops/path.h"
#include "plumb/optim/optimiser.h"

#include "support/caching_allocator_scope.h"
#include "support/models.h"

namespace plumb::test {
namespace {

/// Sentences of `length` tokens, `count` of them.
Tokens tokens(int64_t count, int64_t length) {
  std::vector<int64_t> lengths(static_cast<size_t>(count), length), samples(lengths.size());
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<int64_t>(i);
  return {at::arange(count * length, at::kLong).remainder(11).add(4), ops::Packed(lengths, samples)};
}

TEST(SteadyState, NeedsNeitherReferenceNorMemory) {
  const CachingAllocatorScope cached;
  ModelConfig config;
  config.variant = "b2t";
  config.encoder_layers = config.decoder_layers = 3;
  config.width = 64;
  config.ffn_width = 128;
  config.heads = 4;
  config.source_vocab = config.target_vocab = 20;
  config.dropout = config.attention_dropout = config.activation_dropout = 0.1;
  Transformer model(config, 1);
  const auto optimiser = make_optimiser({}, model.parameters());
  uint64_t step = 0;
  const auto train = [&](int64_t count, int64_t length) {
    const Batch batch{tokens(count, length), tokens(count, length + 3)};
    model.parameters().zero_gradients();
    const at::Tensor features = model.features(batch, {.training = true, .seed = 1, .step = ++step});
    model.cross_entropies(features, batch.target.ids, 0.1, SmoothingOver::All).smoothed.backward();
    optimiser->step(1e-4);
  };
  const auto all = [&] {
    for (int64_t count : {40, 7, 100, 2}) train(count, 2000 / count);
  };
  all();
  all();
  const int64_t fresh = memory::fresh_allocations(), calls = ops::reference_calls();
  for (int round = 0; round < 3; ++round) all();
  EXPECT_EQ(memory::fresh_allocations(), fresh);
  EXPECT_EQ(ops::reference_calls(), calls);
}

TEST(SteadyState, LeavesTheAllocatorAsItWas) {
  c10::Allocator* const before = c10::GetCPUAllocator();
  {
    const CachingAllocatorScope cached;
    EXPECT_NE(c10::GetCPUAllocator(), before);
  }
  EXPECT_EQ(c10::GetCPUAllocator(), before);
}

}  // namespace
}  // namespace plumb::test
