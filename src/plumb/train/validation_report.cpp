#include "plumb/train/validation_report.h"

#include <algorithm>

#include "plumb/metric/measure.h"
#include "plumb/process/signals.h"
#include "plumb/text/line_reader.h"
#include "plumb/train/evaluation.h"
#include "plumb/train/validation.h"

namespace plumb {
namespace {

SamplesRecord first_samples(const PreparedSplit& split, const std::vector<std::string>& outputs) {
  constexpr size_t kSamples = 4;
  SamplesRecord samples;
  LineReader source(split.source.text), target(split.target.text);
  std::string source_line, target_line;
  for (size_t i = 0; i < std::min(kSamples, outputs.size()); ++i) {
    if (!source.next(source_line) || !target.next(target_line)) break;
    samples.source.push_back(source_line);
    samples.reference.push_back(target_line);
    samples.output.push_back(outputs[i]);
  }
  return samples;
}

}  // namespace

ValidationReport validation_report(const Transformer& model, const TrainingData& data, const Config& config) {
  ValidationReport report{.losses = validate(model, *data.valid, config.train), .numbers = {}};
  report.numbers = data.task->numbers(*data.valid, report.losses);
  const std::string& metric = config.train.validate_metric;
  if (metric.empty()) return report;
  const UnwatchedWork generating;
  GenerateConfig greedy = config.generate;
  greedy.beam = greedy.nbest = 1;
  const std::vector<std::string> outputs = data.task->outputs(model, *data.valid, greedy);
  report.samples = first_samples(data.prepared.valid, outputs);
  const Score score = corpus_score(make_measure(metric), outputs, references_of(data.prepared.valid));
  report.numbers.emplace_back(metric, score.value);
  return report;
}

}  // namespace plumb
