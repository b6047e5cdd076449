#include "plumb/memory/where.h"

#include <ATen/ATen.h>

namespace plumb {
namespace {

void check_of_cpu(const at::Tensor& x) {
  TORCH_CHECK(x.device().is_cpu() && x.is_contiguous(), "the numbers of a tensor on ", x.device(),
              x.is_contiguous() ? "" : " that is not contiguous", " cannot be reached in place");
}

}  // namespace

at::Tensor Where::of(const std::vector<int64_t>& numbers) const {
  return bring(at::tensor(numbers, at::kLong));
}

at::Tensor Where::of(const std::vector<float>& numbers) const {
  return bring(at::tensor(numbers, at::kFloat));
}

at::Tensor Where::of(const std::vector<double>& numbers) const {
  return bring(at::tensor(numbers, at::kDouble));
}

at::Tensor Where::bring(const at::Tensor& x) const {
  if (!x.defined()) return x;
  const at::ScalarType type = x.is_floating_point() ? dtype : x.scalar_type();
  return x.device() == device && x.scalar_type() == type ? x : x.to(device, type);
}

Where where_of(const Config&) {
  return {};
}

template <class T>
std::span<T> cpu_numbers(const at::Tensor& x) {
  check_of_cpu(x);
  return {x.data_ptr<T>(), static_cast<size_t>(x.numel())};
}
template std::span<int64_t> cpu_numbers(const at::Tensor&);
template std::span<float> cpu_numbers(const at::Tensor&);
template std::span<double> cpu_numbers(const at::Tensor&);
template std::span<c10::complex<double>> cpu_numbers(const at::Tensor&);

std::span<std::byte> cpu_bytes(const at::Tensor& x) {
  check_of_cpu(x);
  return {static_cast<std::byte*>(x.data_ptr()), x.nbytes()};
}

template <class T>
std::vector<T> numbers_of(const at::Tensor& x) {
  const at::Tensor here = x.detach().to(at::kCPU, c10::CppTypeToScalarType<T>::value).contiguous();
  const std::span<T> numbers = cpu_numbers<T>(here);
  return {numbers.begin(), numbers.end()};
}
template std::vector<int64_t> numbers_of(const at::Tensor&);
template std::vector<double> numbers_of(const at::Tensor&);

}  // namespace plumb
