#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// F1 of ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004) in percent, as the package rouge-score gives them: lower case, words
/// are runs of a-z and 0-9, and everything else separates. Letters beyond a-z are lost, so other languages than English
/// need another metric.
struct Rouge {
  double rouge1 = 0, rouge2 = 0, rouge_l = 0;
};

struct RougeOptions {
  bool stem = false;  // compare the stems of words with more than three letters: use_stemmer of rouge-score
};

/// Of one line. Of several references each of the three takes its best.
Rouge rouge(std::string_view hypothesis, std::span<const std::string> references, const RougeOptions& options = {});

/// The mean over the lines.
Rouge corpus_rouge(std::span<const std::string> hypotheses, std::span<const std::vector<std::string>> references,
                   const RougeOptions& options = {});

}  // namespace plumb
