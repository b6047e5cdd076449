#include "machine.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <string>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <sys/resource.h>

namespace plumb::bench {

double sgemm_gflops(int64_t size) {
  const at::NoGradGuard no_grad;
  const at::Tensor a = at::ones({size, size}), b = at::ones({size, size});
  at::Tensor c = at::empty({size, size});
  double best = 0;
  for (int i = 0; i < 6; ++i) {
    const auto start = std::chrono::steady_clock::now();
    at::mm_out(c, a, b);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2 * std::pow(static_cast<double>(size), 3) / seconds.count() / 1e9);
  }
  return best;
}

int64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  }
  return 0;
}

int64_t page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

}  // namespace plumb::bench
