#include "plumb/memory/arena.h"

#include <algorithm>
#include <iterator>

#include <sys/mman.h>

namespace plumb::memory {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kMore = 8;  // grows by an eighth more than it must

size_t rounded(size_t bytes) {
  return (bytes + kLine - 1) / kLine * kLine;
}

}  // namespace

Arena::Arena(size_t bytes) {
  for (reserved_ = bytes / kLine * kLine; reserved_ >= (size_t{1} << 20); reserved_ = reserved_ / 2 / kLine * kLine) {
    void* stretch =
        mmap(nullptr, reserved_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stretch == MAP_FAILED) continue;
    madvise(stretch, reserved_, MADV_HUGEPAGE);  // where the system has none, ordinary pages do
    begin_ = end_ = static_cast<char*>(stretch);
    return;
  }
  reserved_ = 0;
}

Arena::~Arena() {
  if (begin_) munmap(begin_, reserved_);
}

void* Arena::take(size_t bytes) {
  const size_t size = rounded(bytes);
  char* at = nullptr;
  if (const auto gap = by_size_.lower_bound({size, nullptr}); gap != by_size_.end()) {
    const auto [room, place] = *gap;
    at = place;
    remove_gap(at);
    if (room > size) add_gap(at + size, room - size);
  } else {
    // A gap at the end is the beginning of the new block.
    at = end_;
    if (!gaps_.empty() && gaps_.rbegin()->first + gaps_.rbegin()->second == end_) at = gaps_.rbegin()->first;
    if (size > reserved_ - static_cast<size_t>(at - begin_)) return nullptr;
    if (at != end_) remove_gap(at);
    end_ = at + size;
    ++growths_;
    // A little further, so that batches which need a little more find it: pages cost nothing until they are touched.
    const size_t more = std::min(rounded(extent() / kMore), reserved_ - extent());
    if (more > 0) add_gap(end_, more);
    end_ += more;
  }
  taken_[at] = size;
  in_blocks_ += size;
  return at;
}

void Arena::give_back(void* data) {
  auto* at = static_cast<char*>(data);
  const auto own = taken_.find(at);
  size_t size = own->second;
  taken_.erase(own);
  in_blocks_ -= size;
  if (const auto next = gaps_.find(at + size); next != gaps_.end()) {
    size += next->second;
    remove_gap(next->first);
  }
  auto after = gaps_.lower_bound(at);
  if (after != gaps_.begin()) {
    const auto [place, room] = *std::prev(after);
    if (place + room == at) {
      remove_gap(place);
      at = place;
      size += room;
    }
  }
  add_gap(at, size);
}

size_t Arena::size_of(const void* data) const {
  return taken_.at(static_cast<const char*>(data));
}

void Arena::add_gap(char* at, size_t bytes) {
  gaps_[at] = bytes;
  by_size_.insert({bytes, at});
}

void Arena::remove_gap(char* at) {
  const auto gap = gaps_.find(at);
  by_size_.erase({gap->second, at});
  gaps_.erase(gap);
}

}  // namespace plumb::memory
