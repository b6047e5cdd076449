#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace plumb::memory {

/// Memory for large blocks in one stretch of addresses. A freed block joins its free neighbours, so that steps with
/// batches of other sizes use the same pages again: the stretch grows to what is used at the same time, and hardly
/// further. Pages stay once they were touched. Not for several threads at once.
class Arena {
 public:
  /// Reserves addresses, not memory: as many as the system grants, up to `bytes`.
  explicit Arena(size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// `bytes` at a multiple of 64, or null if there is no room. Takes the smallest gap that is large enough.
  void* take(size_t bytes);
  /// What take() gave.
  void give_back(void* data);
  bool owns(const void* data) const { return data >= begin_ && data < begin_ + reserved_; }
  size_t size_of(const void* data) const;

  /// How many times the stretch grew, and how long it is.
  int64_t growths() const { return growths_; }
  size_t extent() const { return static_cast<size_t>(end_ - begin_); }

  /// Bytes that are reserved and in no block; those of them that lie within the stretch have pages already.
  size_t unused() const { return reserved_ - in_blocks_; }
  size_t unused_pages() const { return extent() - in_blocks_; }

 private:
  using Gap = std::pair<size_t, char*>;  // ordered by size, then by address

  void add_gap(char* at, size_t bytes);
  void remove_gap(char* at);

  char *begin_ = nullptr, *end_ = nullptr;
  size_t reserved_ = 0, in_blocks_ = 0;
  int64_t growths_ = 0;
  std::map<const char*, size_t> taken_;
  std::map<char*, size_t> gaps_;
  std::set<Gap> by_size_;
};

}  // namespace plumb::memory
