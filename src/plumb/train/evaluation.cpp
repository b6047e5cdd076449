#include "plumb/train/evaluation.h"

#include "plumb/metric/measure.h"
#include "plumb/text/line_reader.h"
#include "plumb/train/validation.h"

namespace plumb {

std::vector<std::vector<std::string>> references_of(const PreparedSplit& split) {
  std::vector<std::vector<std::string>> references;
  LineReader reader(split.target.text);
  for (std::string line; reader.next(line);) references.push_back({line});
  return references;
}

Evaluation evaluate(const Transformer& model, const Task& task, const PreparedSplit& split, const Config& config,
                    const std::vector<std::string>& metrics) {
  const std::unique_ptr<TaskCorpus> corpus = task.open(split, /*training=*/false);
  Evaluation result;
  result.losses = validate(model, *corpus, config.train);
  result.numbers = task.numbers(*corpus, result.losses);
  if (metrics.empty()) return result;
  result.outputs = task.outputs(model, *corpus, config.generate);
  const std::vector<std::vector<std::string>> references = references_of(split);
  for (const std::string& name : metrics) {
    const Score score = corpus_score(make_measure(name), result.outputs, references);
    result.numbers.emplace_back(name, score.value);
    for (const auto& [part, value] : score.parts) result.numbers.emplace_back(name + '.' + part, value);
  }
  return result;
}

}  // namespace plumb
