#include "plumb/data/split.h"

#include "plumb/base/random_stream.h"

namespace plumb {

Split split_of(int64_t number) {
  switch (splitmix64(static_cast<uint64_t>(number)) % 10) {
    case 0:
      return Split::Test;
    case 1:
      return Split::Valid;
    default:
      return Split::Train;
  }
}

Split split_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a: the same on every machine, unlike std::hash
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return split_of(static_cast<int64_t>(hash));
}

std::string_view name_of(Split split) {
  constexpr std::string_view kNames[] = {"train", "valid", "test"};
  return kNames[static_cast<size_t>(split)];
}

}  // namespace plumb
