// plumb-bench-ops: every op on the fused path against the reference path, forward and backward, from the list of cases
// that the tests walk. Beside it how fast the op goes through its memory, where a copy shows what the machine can do.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include "plumb/base/table.h"
#include "plumb/memory/caching_allocator.h"
#include "plumb/ops/path.h"

#include "ops/support/cases.h"

namespace plumb::bench {
namespace {

using test::CaseSize;
using test::DerivativeCase;
using Tensors = std::vector<at::Tensor>;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

struct Measured {
  double fused, reference;  // seconds
  double bytes;             // inputs, output and their gradients, each once
};

Measured measure(const DerivativeCase& which, int rounds) {
  Tensors inputs;
  for (const at::Tensor& input : which.inputs) {
    inputs.push_back(input.to(at::kFloat).contiguous().requires_grad_());
    inputs.back().mutable_grad() = at::zeros_like(inputs.back());  // as the parameter store has it
  }
  Measured result{0, 0, 0};
  const auto run = [&](Path path) {
    const ops::PathScope scope(path);
    const at::Tensor value = which.op(inputs);
    value.backward(at::ones_like(value));
    result.bytes = 2.0 * static_cast<double>(value.nbytes());
  };
  std::vector<double> fused, reference;
  for (int i = 0; i <= rounds; ++i) {  // the first round warms up
    const double a = seconds_of([&] { run(Path::Fused); }), b = seconds_of([&] { run(Path::Reference); });
    if (i > 0) fused.push_back(a), reference.push_back(b);
  }
  for (const at::Tensor& input : inputs) result.bytes += 2.0 * static_cast<double>(input.nbytes());
  result.fused = median(fused);
  result.reference = median(reference);
  return result;
}

/// Bytes read and written per second by a copy of much more than any cache holds.
double copy_rate(int rounds) {
  std::vector<char> from(size_t{256} << 20, 1), to(from.size());
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    seconds.push_back(seconds_of([&] {
      at::parallel_for(0, 64, 1, [&](int64_t begin, int64_t end) {
        const size_t piece = from.size() / 64;
        std::memcpy(to.data() + static_cast<size_t>(begin) * piece, from.data() + static_cast<size_t>(begin) * piece,
                    static_cast<size_t>(end - begin) * piece);
      });
    }));
  }
  return 2 * static_cast<double>(from.size()) / median(seconds);
}

int run(int argc, char** argv) {
  int rounds = 9, threads = 2;
  std::string only;
  CLI::App app("Every op: the fused path against the reference path");
  app.add_option("--rounds", rounds, "rounds; the median counts")->capture_default_str();
  app.add_option("--threads", threads, "threads")->capture_default_str();
  app.add_option("--only", only, "cases whose name contains this");
  CLI11_PARSE(app, argc, argv);
  memory::install_caching_allocator();
  at::set_num_threads(threads);
  const auto right = Table::Align::Right;
  Table table({{"op"}, {"fused ms", right}, {"reference ms", right}, {"times as fast", right}, {"GB/s", right}});
  for (const DerivativeCase& which : test::op_cases(CaseSize::Real)) {
    if (which.name.find(only) == std::string::npos) continue;
    const Measured m = measure(which, rounds);
    table.add_row({which.name, fmt::format("{:.2f}", 1e3 * m.fused), fmt::format("{:.2f}", 1e3 * m.reference),
                   fmt::format("{:.1f}", m.reference / m.fused), fmt::format("{:.1f}", 1e-9 * m.bytes / m.fused)});
  }
  std::cout << table.to_string() << fmt::format("a copy: {:.1f} GB/s\n", 1e-9 * copy_rate(rounds));
  return 0;
}

}  // namespace
}  // namespace plumb::bench

int main(int argc, char** argv) {
  return plumb::bench::run(argc, argv);
}
