#pragma once

#include <filesystem>
#include <vector>

#include "plumb/nn/transformer.h"
#include "plumb/task/batch.h"

namespace plumb::bench {

/// The batches that batches.py wrote: a list of {"source": sentences, "target": sentences}, each sentence a list of ids
/// that ends with </s>. A side without sentences has no rows.
std::vector<TrainingBatch> read_batches(const std::filesystem::path& path);

}  // namespace plumb::bench
