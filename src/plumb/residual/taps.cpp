#include "plumb/residual/taps.h"

#include <ATen/ATen.h>

namespace plumb {
namespace {

constexpr std::string_view kPoints[] = {"in", "branch", "sum", "out", "embed"};

}  // namespace

std::string Tap::name() const {
  std::string result(word(stack));
  if (sublayer) result += '.' + std::to_string(layer) + '.' + std::string(word(*sublayer));
  return result + '.' + std::string(kPoints[static_cast<size_t>(point)]);
}

void TapRecorder::see(const Tap& tap, const at::Tensor& value) {
  if (value.requires_grad() && !value.is_leaf()) value.retain_grad();
  index_[tap.name()] = records_.size();
  records_.push_back({tap, value});
}

const at::Tensor& TapRecorder::value(const std::string& name) const {
  const auto found = index_.find(name);
  TORCH_CHECK(found != index_.end(), "no tap is called ", name);
  return records_[found->second].value;
}

at::Tensor TapRecorder::gradient(const std::string& name) const {
  return value(name).grad();
}

}  // namespace plumb
