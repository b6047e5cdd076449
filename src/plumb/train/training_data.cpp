#include "plumb/train/training_data.h"

#include <iterator>

#include <ATen/Parallel.h>

#include "plumb/data/data_pieces.h"
#include "plumb/data/run_vocabulary.h"

namespace plumb {
namespace {

int64_t examples_of(const TaskCorpus& corpus) {
  return std::ssize(corpus.lengths()) + corpus.left_out();
}

}  // namespace

TrainingData::TrainingData(const Config& config, const Prepared& data)
    : prepared(data),
      task(make_task(config, {data.source_tokenizer, data.target_tokenizer})),
      train(task->open(data.train, /*training=*/true)),
      valid(task->open(data.valid, /*training=*/false)) {}

void TrainingData::keep(const std::filesystem::path& run) const {
  keep_vocabulary(run, prepared);
  task->keep(run);
}

RunIdentity identity_of(const Config& config, const TrainingData& data) {
  return {.config = config,
          .threads = at::get_num_threads(),
          .fingerprint = data.prepared.fingerprint,
          .pieces = data_pieces(data.prepared, examples_of(*data.train), examples_of(*data.valid))};
}

}  // namespace plumb
