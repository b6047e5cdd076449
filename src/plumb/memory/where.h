#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb {

struct Config;

/// Where the numbers of a computation are, and in what type. The parameter store, a pass through the model and a batch
/// each have one. Whatever makes a tensor names a Where, or the options of a tensor that is there already; numbers come
/// there by of() and bring(), and are read off a tensor by numbers_of() or item().
struct Where {
  at::Device device = at::kCPU;
  at::ScalarType dtype = at::kFloat;

  Where() = default;
  Where(at::ScalarType dtype) : dtype(dtype) {}  // NOLINT: a type alone means the CPU
  Where(at::Device device, at::ScalarType dtype) : device(device), dtype(dtype) {}
  /// Where this tensor is.
  explicit Where(const at::Tensor& x) : device(x.device()), dtype(x.scalar_type()) {}

  bool operator==(const Where&) const = default;

  /// For tensors of this type, and of whole numbers or truth values there.
  at::TensorOptions options() const { return at::TensorOptions(dtype).device(device); }
  at::TensorOptions options(at::ScalarType type) const { return at::TensorOptions(type).device(device); }

  /// Plain numbers as a tensor there: whole ones as int64, those with a fraction in this type. [N]
  at::Tensor of(const std::vector<int64_t>& numbers) const;
  at::Tensor of(const std::vector<float>& numbers) const;
  at::Tensor of(const std::vector<double>& numbers) const;
  /// The same numbers there; those with a fraction in this type, others in their own. Without a copy if they are there
  /// already; an undefined tensor stays one.
  at::Tensor bring(const at::Tensor& x) const;
};

/// Where a run of this config computes: the CPU, in floats. A second device is a key that this function reads.
Where where_of(const Config& config);

/// The numbers of a tensor, wherever it is, in the order of its rows.
template <class T>
std::vector<T> numbers_of(const at::Tensor& x);  // int64_t, double

/// The numbers of a contiguous tensor of the CPU, in place: for what reads and writes files and sound, which no device
/// does. A tensor of another device or type is an error. Valid while the tensor lives.
template <class T>
std::span<T> cpu_numbers(const at::Tensor& x);  // int64_t, float, double, c10::complex<double>
std::span<std::byte> cpu_bytes(const at::Tensor& x);

}  // namespace plumb
