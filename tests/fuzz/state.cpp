// state.json of a checkpoint. One without a checksum of its own is of an older version, so that mutations get past it.

#include <string>

#include "plumb/runs/checkpoint_state.h"

#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb;
  return fuzz::refusals_are_fine([&] {
    const CheckpointState state = checkpoint_state_of(std::string(fuzz::as_text(data, size)), "state.json");
    // What was read is written so that it is read again.
    const CheckpointState again = checkpoint_state_of(to_text(state), "state.json");
    if (again.position.update != state.position.update || again.files != state.files) __builtin_trap();
  });
}
