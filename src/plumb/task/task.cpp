#include "plumb/task/task.h"

#include <cmath>

#include <c10/util/Exception.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/config/presets.h"

namespace plumb {

double Validation::perplexity() const {
  return std::exp(nll);
}

std::vector<std::string> Task::outputs(const Transformer&, const TaskCorpus&, const GenerateConfig&) const {
  TORCH_CHECK(false, "this task has no outputs");
}

std::vector<std::pair<std::string, double>> Task::numbers(const TaskCorpus&, const Validation&) const {
  return {};
}

Answered Task::answer(const Transformer&, std::span<const std::string>, int64_t, const Config& config) const {
  throw UserError(std::string(task_row(task_of(config)).name), "a model of this task has nothing to say to a line",
                  "Use `plumb evaluate` or `plumb probe`, or fine-tune it first");
}

std::unique_ptr<Task> make_task(const Config& config, const RunVocabulary& vocabulary) {
  switch (task_of(config)) {
    case TaskKind::Translation:
    case TaskKind::Summarisation:  // a translation into fewer words
      return make_translation(config, vocabulary);
    case TaskKind::LanguageModel:
      return make_language_model(config, vocabulary);
    case TaskKind::MaskedLm:
      return make_masked_lm(config, vocabulary);
    case TaskKind::Classification:
      return make_classification(config, vocabulary);
    case TaskKind::Speech:
      return make_speech(config, vocabulary);
  }
  TORCH_CHECK(false, "unknown task");
}

}  // namespace plumb
