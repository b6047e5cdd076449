// Step by step with caches must give what the whole sequence gives at once, for every row that has a decoder.

#include "plumb/nn/decoding.h"

#include <ATen/ATen.h>

#include "nn/support/every_row.h"

namespace plumb::test {
namespace {

constexpr int64_t kLength = 20;  // longer than the caches' first capacity

Tokens targets(int64_t sequences, int64_t beam) {
  at::manual_seed(4);
  const auto rows = static_cast<size_t>(sequences * beam);
  return {at::randint(4, 13, {static_cast<int64_t>(rows) * kLength}, at::kLong),
          ops::Packed(std::vector<int64_t>(rows, kLength))};
}

/// The source with every sentence `beam` times in a row.
Tokens repeated(const Tokens& source, int64_t beam) {
  std::vector<at::Tensor> ids;
  std::vector<int64_t> lengths;
  for (int64_t b = 0; b < source.rows.sequences(); ++b) {
    for (int64_t i = 0; i < beam; ++i) {
      ids.push_back(source.ids.narrow(0, source.rows.begin(b), source.rows.length(b)));
      lengths.push_back(source.rows.length(b));
    }
  }
  return {at::cat(ids), ops::Packed(lengths)};
}

class DecodingOfEveryRow : public EveryRow {
 protected:
  ModelConfig config() const {
    ModelConfig config = EveryRow::config();
    config.max_positions = kLength;
    return config;
  }
};

TEST_P(DecodingOfEveryRow, StepByStepEqualsTheWholeSequence) {
  constexpr int64_t kBeam = 2, kSentences = 3;
  Transformer model(config(), 1, at::kDouble);
  randomise(model, 7);
  const Tokens source = tiny_batch(config()).source;
  const Tokens target = targets(kSentences, kBeam);
  const bool reads_source = form() == Form::EncoderDecoder;
  const Batch whole{reads_source ? repeated(source, kBeam) : Tokens{}, target};
  const at::Tensor expected = logits(model, whole).view({kSentences * kBeam, kLength, -1});

  Decoding decoding(model, source, kBeam, kSentences);
  const at::Tensor ids = target.ids.view({kSentences * kBeam, kLength});
  for (int64_t t = 0; t < kLength; ++t) {
    EXPECT_LE(difference(decoding.step(ids.select(1, t)), expected.select(1, t)), 1e-12) << t;
  }
}

TEST_P(DecodingOfEveryRow, FollowsReorderedHypothesesAndDroppedSentences) {
  constexpr int64_t kBeam = 2, kSentences = 3;
  Transformer model(config(), 1, at::kDouble);
  randomise(model, 7);
  const Tokens source = tiny_batch(config()).source;
  const Tokens target = targets(kSentences, kBeam);
  const at::Tensor ids = target.ids.view({kSentences * kBeam, kLength});

  Decoding decoding(model, source, kBeam, kSentences);
  for (int64_t t = 0; t < 5; ++t) decoding.step(ids.select(1, t));
  // Both hypotheses of a sentence go on from its second one; then only the first and the last sentence stay.
  decoding.reorder(at::tensor({1, 1, 3, 3, 5, 5}, at::kLong));
  decoding.keep(at::tensor({0, 2}, at::kLong));
  const at::Tensor next = ids.index_select(0, at::tensor({0, 1, 4, 5}, at::kLong)).select(1, 5);
  const at::Tensor actual = decoding.step(next);

  const at::Tensor history = ids.index_select(0, at::tensor({1, 1, 5, 5}, at::kLong)).narrow(1, 0, 5);
  const Tokens expected_target{at::cat({history, next.unsqueeze(1)}, 1).flatten(), ops::Packed({6, 6, 6, 6})};
  Tokens kept;
  if (form() == Form::EncoderDecoder) {
    const std::vector<int64_t> lengths = {source.rows.length(0), source.rows.length(2)};
    kept = repeated(
        {at::cat({source.ids.narrow(0, 0, lengths[0]), source.ids.narrow(0, source.rows.begin(2), lengths[1])}),
         ops::Packed(lengths)},
        kBeam);
  }
  const at::Tensor expected = logits(model, {kept, expected_target}).view({4, 6, -1}).select(1, 5);
  EXPECT_LE(difference(actual, expected), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Table, DecodingOfEveryRow, every_row({Form::EncoderDecoder, Form::Decoder}), row_name);

}  // namespace
}  // namespace plumb::test
