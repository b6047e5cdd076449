#pragma once

#include <cstdint>

#include "plumb/config/config.h"

namespace plumb {

/// What a training step keeps in memory, in bytes.
struct StepMemory {
  int64_t weights = 0, gradients = 0, optimiser = 0;
  int64_t activations = 0;  // at the moment when most of them are alive
  int64_t program = 0;      // LibTorch itself, before anything is built

  int64_t total() const { return weights + gradients + optimiser + activations + program; }
};

/// Sentences have this many tokens when nobody says how long they are: attention's memory depends on it.
inline constexpr int64_t kAssumedLength = 25;

/// Predicts it for a full batch (`train.max_tokens`) without building the model: steps of the same width on one and two
/// layers and few rows are measured, and what grows with layers and rows is multiplied out.
StepMemory predict_memory(const Config& config);

/// The part of it that is known exactly, and without a measurement: everything but the activations.
StepMemory predict_state(const Config& config);

/// The most that one step of the whole model holds beside weights and gradients, in bytes, measured on a batch of
/// sentences of one length.
int64_t measured_activations(const Config& config, int64_t sentences, int64_t length);

}  // namespace plumb
