#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/nn/transformer.h"
#include "plumb/train/batch_cursor.h"

namespace plumb {

/// Sets the weights that a run starts with: those of `train.restore_file` or of the run `train.pretrained`, or the
/// drawn ones, with what the variant wants to be measured on the first batch. Gives the parameters that a pre-trained
/// run does not have; nothing if there is no such run.
std::optional<std::vector<std::string>> set_start_weights(Transformer& model, const Config& config,
                                                          BatchCursor& batches);

}  // namespace plumb
