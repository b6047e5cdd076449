#include "plumb/process/engine_environment.h"

#include <cstdlib>

namespace plumb {
namespace {

void set_unless_set(const char* name, const char* value) {
  setenv(name, value, /*overwrite=*/0);
}

// OpenBLAS knows processors by their model numbers. One that is younger than the library gets its kernels of 2004,
// without AVX, and a training step takes 1.5 times as long (width 64) or more. Other makers' choices are left to it.
void choose_blas_kernels() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_is("intel")) return;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq")) {
    set_unless_set("OPENBLAS_CORETYPE", "SKYLAKEX");
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    set_unless_set("OPENBLAS_CORETYPE", "HASWELL");
  }
#endif
}

}  // namespace

void set_engine_environment() {
  // Threads that spin while they wait can stop a run dead on a busy machine.
  set_unless_set("OMP_WAIT_POLICY", "passive");
  choose_blas_kernels();
}

}  // namespace plumb
