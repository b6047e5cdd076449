#include "plumb/probe/hessian.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/probe/hessian_vector.h"

namespace plumb::probe {

Hessian::Hessian(const Subject& subject, Transformer& model) : subject_(subject), model_(model) {
  for (const ProbeBatch& chunk : subject.sample().fixed) tokens_ += chunk.tokens();
}

double Hessian::weight(const ProbeBatch& chunk) const {
  return static_cast<double>(chunk.tokens()) / static_cast<double>(tokens_);
}

at::Tensor Hessian::times(const at::Tensor& v) const {
  ParameterStore& store = model_.parameters();
  store.zero_gradients();
  for (const ProbeBatch& chunk : subject_.sample().fixed) {
    add_hessian_vector(store, v, [&] { return subject_.loss(model_, chunk) * weight(chunk); });
  }
  return store.gradients().clone();
}

at::Tensor Hessian::gradient() const {
  ParameterStore& store = model_.parameters();
  store.zero_gradients();
  for (const ProbeBatch& chunk : subject_.sample().fixed) (subject_.loss(model_, chunk) * weight(chunk)).backward();
  return store.gradients().clone();
}

double Hessian::loss() const {
  at::NoGradGuard no_grad;
  double sum = 0;
  for (const ProbeBatch& chunk : subject_.sample().fixed) {
    sum += subject_.loss(model_, chunk).item<double>() * weight(chunk);
  }
  return sum;
}

at::Tensor Hessian::mask() const {
  std::vector<std::string> all;
  for (const auto& entry : model_.parameters().entries()) all.push_back(entry.spec.name);
  return mask_of(all);
}

at::Tensor Hessian::mask_of(const std::vector<std::string>& names) const {
  at::Tensor mask = at::zeros_like(model_.parameters().values());
  for (const std::string& name : names) {
    const ParameterStore::Entry& entry = model_.parameters().entry(name);
    mask.narrow(0, entry.offset, entry.count).fill_(1);
  }
  return mask;
}

}  // namespace plumb::probe
