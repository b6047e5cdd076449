#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/ops/top_words.h"

namespace plumb {

/// How to search. Names and meanings are fairseq's.
struct DecodeOptions {
  int64_t beam = 5;
  double lenpen = 1;       // the score of a hypothesis is its log-probability / length^lenpen, </s> counted
  int64_t nbest = 1;       // hypotheses per sentence, at most `beam`
  int64_t min_length = 1;  // tokens before </s>
  double max_len_a = 0;    // at most a * source length + b tokens before </s>
  int64_t max_len_b = 200;
  int64_t no_repeat_ngram = 0;  // n: no n-gram of tokens twice in a hypothesis
  bool sampling = false;        // draw tokens instead; `beam` independent samples
  double temperature = 1;
  int64_t top_k = 0;  // 0: all
  double top_p = 1;
  uint64_t seed = 1;
};

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
/// among the first `beam` that end are finished, and a sentence is done when it has `beam` finished hypotheses.
std::vector<std::vector<Hypothesis>> search(Scorer& scorer, std::span<const SourceInfo> sentences,
                                            const DecodeOptions& options);

}  // namespace plumb
