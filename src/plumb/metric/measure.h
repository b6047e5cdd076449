#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/metric/bleu.h"

namespace plumb {

struct MeasureOptions {
  bool lowercase = false;
  BleuTokenizer tokenizer = BleuTokenizer::Mteval13a;  // these two matter to BLEU only
  BleuSmoothing smoothing = BleuSmoothing::Exp;
  bool stem = false;  // this one to ROUGE
};

/// A score in percent, as people read it, and with the numbers that it is made of.
struct Score {
  double value = 0;
  std::string line;
  std::vector<std::pair<std::string, double>> parts;
};

/// A metric of the catalogue in one form for all: numbers of each sentence that add up over the corpus, and a score of
/// their sum. The command, validation during training and the bootstrap need nothing else.
struct Measure {
  std::function<std::vector<double>(std::string_view hypothesis, std::span<const std::string> references)> count;
  std::function<Score(std::span<const double> sum)> score;
  std::string settings;  // for signature()

  /// Parts that are scores of their own, beside the value: a confidence interval is given for each.
  std::vector<std::string> scores = {};

  /// If there is one: adds to a corpus's score what is no sum over its lines, such as what a trivial answer would get.
  std::function<void(std::span<const std::vector<std::string>> references, Score& score)> compare = {};
};

/// For a name of the catalogue; throws std::logic_error for any other.
Measure make_measure(std::string_view name, const MeasureOptions& options = {});

/// `references[i]` are all those of hypothesis i; there must be at least one sentence.
Score corpus_score(const Measure& measure, std::span<const std::string> hypotheses,
                   std::span<const std::vector<std::string>> references);

}  // namespace plumb
