#include "plumb/task/generation.h"

#include <limits>

#include "plumb/decode/generate.h"
#include "plumb/ops/fused/gemm.h"

namespace plumb {

std::vector<std::vector<Hypothesis>> generate_all(const Transformer& model, std::span<const PairLengths> lengths,
                                                  const SourceOf& source, const GenerateConfig& options,
                                                  uint64_t seed) {
  std::vector<std::vector<Hypothesis>> all(lengths.size());
  const ops::PanelScope weights_stay;
  for (const SentenceList& batch : ordered_batches(lengths, options.max_tokens)) {
    SentenceList examples;
    for (int64_t i : batch) {
      if (lengths[static_cast<size_t>(i)].source > 0) examples.push_back(i);
    }
    if (examples.empty()) continue;
    const Tokens tokens = source(examples);
    if (examples.empty()) continue;
    auto found = generate(model, tokens, options, seed);
    for (size_t i = 0; i < examples.size(); ++i) all[static_cast<size_t>(examples[i])] = std::move(found[i]);
  }
  return all;
}

std::vector<std::vector<Answer>> as_answers(std::vector<std::vector<Hypothesis>> found, const Tokenizer& tokenizer,
                                            int64_t wanted) {
  std::vector<std::vector<int32_t>> tokens;
  std::vector<std::vector<Answer>> answers;
  for (std::vector<Hypothesis>& list : found) {
    // Nothing comes out where nothing went in. A beam can end with fewer, if the vocabulary is smaller than it.
    const double none = list.empty() ? 0 : -std::numeric_limits<double>::infinity();
    list.resize(static_cast<size_t>(wanted), {.tokens = {}, .score = none});
    answers.emplace_back();
    for (Hypothesis& one : list) {
      answers.back().push_back({"", one.score});
      tokens.push_back(std::move(one.tokens));
    }
  }
  const std::vector<std::string> texts = tokenizer.decode_lines(tokens);
  size_t next = 0;
  for (std::vector<Answer>& list : answers) {
    for (Answer& one : list) one.text = texts[next++];
  }
  return answers;
}

}  // namespace plumb
