#pragma once

#include <atomic>
#include <cstdint>

namespace plumb {

/// What a trainer is doing. The numbers are read from outside: docs/run-directory.md lists them.
enum class Phase : uint64_t {
  Preparing = 1,     // the corpus and the model, or going back to a checkpoint
  Step = 2,          // the first batch of an update, and what follows the last one: the optimiser, the log
  Accumulation = 3,  // the later batches of an update
  Validation = 4,
  Checkpoint = 5,  // writing one
  Pruning = 6,     // removing old ones
  Ended = 7,
};

/// Shows the phase to whoever watches, for tests that have to know what they interrupted. If PLUMB_PHASE_FILE is set,
/// its first eight bytes are mapped into memory and hold `update * 256 + phase`: one store, which no kill can tear and
/// every kill leaves behind. If not, there is nothing but a branch.
class PhaseFile {
 public:
  PhaseFile();
  ~PhaseFile();
  PhaseFile(const PhaseFile&) = delete;
  PhaseFile& operator=(const PhaseFile&) = delete;

  void set(Phase phase, int64_t update) {
    if (!shown_) return;
    // Relaxed is a plain store; atomic only so that the compiler neither splits nor drops it.
    const uint64_t word = static_cast<uint64_t>(update) << 8 | static_cast<uint64_t>(phase);
    std::atomic_ref<uint64_t>(*shown_).store(word, std::memory_order_relaxed);
  }

 private:
  uint64_t* shown_ = nullptr;
};

}  // namespace plumb
