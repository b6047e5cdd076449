// A file of tensors, from its header to the bytes of each.

#include "plumb/base/safetensors.h"

#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb;
  return fuzz::refusals_are_fine([&] {
    const fuzz::MemoryFile file(fuzz::as_text(data, size));
    const SafetensorsReader reader(file.path());
    for (const TensorEntry& entry : reader.tensors()) {
      std::vector<std::byte> bytes(entry.size());  // at most the file
      reader.read(entry, bytes);
      if (reader.find(entry.name) == nullptr) __builtin_trap();
    }
  });
}
