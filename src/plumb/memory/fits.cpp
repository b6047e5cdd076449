#include "plumb/memory/fits.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "plumb/base/error.h"
#include "plumb/memory/caching_allocator.h"
#include "plumb/process/memory_limits.h"

namespace plumb::memory {
namespace {

constexpr int64_t kSmall = int64_t{64} << 20;        // not worth asking for
constexpr int64_t kBlasBuffer = int64_t{128} << 20;  // of OpenBLAS 0.3 on x86-64
constexpr int64_t kThreadHeap = int64_t{128} << 20;  // that malloc reserves for a thread
constexpr int64_t kRest = int64_t{64} << 20;         // tensors of the smallest model
constexpr int kMostBuffers = 64;                     // OpenBLAS has a table of them

int64_t thread_stack() {
  rlimit limit{};
  constexpr int64_t kUsual = int64_t{8} << 20;
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUsual;
  return static_cast<int64_t>(limit.rlim_cur);
}

// OpenBLAS keeps what it has once taken. Another BLAS has no such functions, and waits for nothing.
void take_blas_buffers(int count) {
  using Take = void* (*)(int);
  using Give = void (*)(void*);
  const auto take = reinterpret_cast<Take>(::dlsym(RTLD_DEFAULT, "blas_memory_alloc"));
  const auto give = reinterpret_cast<Give>(::dlsym(RTLD_DEFAULT, "blas_memory_free"));
  if (!take || !give) return;
  std::vector<void*> buffers;
  for (int i = 0; i < count; ++i) buffers.push_back(take(0));
  for (void* buffer : buffers) give(buffer);
}

}  // namespace

void check_fits(const std::string& what, double bytes, const std::string& remedy) {
  if (bytes < static_cast<double>(kSmall)) return;
  const Room room = room_in_arena();
  for (const MemoryLimit& limit : memory_limits()) {
    const auto left = static_cast<double>(limit.left + (limit.counts_addresses ? room.addresses : room.pages));
    if (bytes <= left) continue;
    throw UserError(
        "memory", fmt::format("{} need {}; {} leaves {}", what, gigabytes(bytes), limit.name, gigabytes(left)), remedy);
  }
}

void claim_blas_memory(int threads) {
  const std::optional<MemoryLimit> limit = address_limit();
  if (!limit) return;
  const int buffers = std::min(threads + 1, kMostBuffers);
  const int64_t needed = buffers * kBlasBuffer + (threads - 1) * (thread_stack() + kThreadHeap) + kRest;
  if (limit->left < needed) {
    throw UserError(
        limit->name,
        fmt::format("leaves {}; {} thread{} need{} {}", gigabytes(static_cast<double>(limit->left)), threads,
                    threads == 1 ? "" : "s", threads == 1 ? "s" : "", gigabytes(static_cast<double>(needed))),
        fmt::format("Raise it{}", threads > 1 ? ", or set threads = 1" : ""));
  }
  take_blas_buffers(buffers);
#pragma omp parallel num_threads(threads)
  {}
}

}  // namespace plumb::memory
