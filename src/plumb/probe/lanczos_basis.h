#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/base/file_descriptor.h"
#include "plumb/memory/where.h"

namespace plumb::probe {

/// Vectors of one length that are kept for an orthogonalisation: in memory, or in a mapped file where models of
/// many parameters need more than there is. The file stays, so that an interrupted measurement goes on with it.
class LanczosBasis {
 public:
  /// Room for `most` vectors of `length` numbers. An empty path: in memory, which grows as vectors come. Files hold
  /// floats of the CPU.
  LanczosBasis(int64_t length, int64_t most, const std::filesystem::path& file = {}, const Where& where = {});
  ~LanczosBasis();
  LanczosBasis(const LanczosBasis&) = delete;
  LanczosBasis& operator=(const LanczosBasis&) = delete;

  int64_t length() const { return length_; }
  const Where& where() const { return where_; }
  /// The vector `index`: to be written once, and read after that.
  at::Tensor at(int64_t index);

  /// Waits until everything that was written is on the disk, if there is one.
  void sync();

 private:
  int64_t length_, most_;
  Where where_;
  std::vector<at::Tensor> in_memory_;
  FileDescriptor file_;
  float* mapped_ = nullptr;
};

}  // namespace plumb::probe
