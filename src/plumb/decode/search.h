#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/config/generate_config.h"
#include "plumb/ops/top_words.h"

namespace plumb {

struct Hypothesis {
  std::vector<int32_t> tokens;  // without </s>
  double score = 0;             // what the search sorts by
  double log_probability = 0;   // natural logarithm, </s> included
};

/// What a search asks: the next token's logits for `beam` hypotheses of each sentence. A model with caches
/// (decode/model_scorer.h), or a toy in a test.
class Scorer {
 public:
  virtual ~Scorer() = default;
  /// Feeds one token to every hypothesis, int64 [sentences * beam]; gives logits [.., V].
  virtual at::Tensor step(const at::Tensor& ids) = 0;
  /// The same, but gives the `count` likeliest tokens of each hypothesis, and log p of </s>.
  virtual ops::TopWords step_to_best(const at::Tensor& ids, int64_t count);
  /// Hypothesis i goes on from what hypothesis rows[i] was. int64 [sentences * beam]
  virtual void reorder(const at::Tensor& rows) = 0;
  /// Only these sentences go on. int64, ascending
  virtual void keep(const at::Tensor& sentences) = 0;
};

/// What the search must know of a sentence.
struct SourceInfo {
  int64_t length = 0;    // tokens of the source, for max_len_a
  int64_t sample = 0;    // its name: sampling does not depend on what shares a batch
  int64_t limit = 1024;  // what the model can take
  /// What every hypothesis begins with. It is part of the tokens, but neither of the score nor of the length.
  std::vector<int32_t> prefix = {};
};

/// For each sentence its best hypotheses, best first. Beam search as fairseq does it: 2 * beam candidates a step, those
/// among the first `beam` that end are finished, and a sentence is done when it has `beam` finished hypotheses. With
/// `sampling`, `beam` independent samples are drawn instead; `seed` is theirs.
std::vector<std::vector<Hypothesis>> search(Scorer& scorer, std::span<const SourceInfo> sentences,
                                            const GenerateConfig& options, uint64_t seed);

}  // namespace plumb
