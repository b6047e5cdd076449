#pragma once

#include <cstddef>
#include <cstdint>

#include <c10/core/Allocator.h>
#include <torch/version.h>

/// What differs between LibTorch 1.13 (Debian 12) and 2.x (Debian 13). No other file asks for the version.
namespace plumb::libtorch {

/// How c10::MemoryReportingInfoBase counts the bytes of a pool.
#if TORCH_VERSION_MAJOR >= 2
using PoolBytes = size_t;
#else
using PoolBytes = int64_t;
#endif

/// An allocator of memory that the processor reaches: 2.x lets allocate() change the allocator and asks how to copy.
class CpuAllocator : public c10::Allocator {
 public:
#if TORCH_VERSION_MAJOR >= 2
  c10::DataPtr allocate(size_t bytes) final {
    return take(bytes);
  }
  void copy_data(void* to, const void* from, size_t bytes) const final {
    default_copy_data(to, from, bytes);
  }
#else
  c10::DataPtr allocate(size_t bytes) const final {
    return take(bytes);
  }
#endif

 private:
  virtual c10::DataPtr take(size_t bytes) const = 0;
};

}  // namespace plumb::libtorch
