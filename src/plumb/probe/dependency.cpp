// Layer dependency beta_ij (Liu et al. 2020, Figs. 7, 8): how much of a sub-layer's output comes from which branch.

#include "plumb/probe/dependency.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <ATen/ATen.h>

#include "plumb/catalogue/norms.h"
#include "plumb/config/stack_plan.h"
#include "plumb/probe/components.h"
#include "plumb/probe/probe.h"

namespace plumb::probe {
namespace {

/// Standard deviation over the features, in the mean over tokens; of each component where there are several.
at::Tensor deviation(const at::Tensor& x) {
  return x.var(-1, /*unbiased=*/false).mean(-1).sqrt();
}

// The first sub-layers still see the embedding, whose size is not that of a branch: the law is one of large i.
void fit_exponent(const Dependency& found, const Labels& labels, Readings& out) {
  std::vector<double> log_index, log_own;
  const size_t count = found.beta.size();
  for (size_t i = count / 4; i < count; ++i) {
    if (found.own(i) <= 0) return;
    log_index.push_back(std::log(static_cast<double>(i + 1)));
    log_own.push_back(std::log(found.own(i)));
  }
  if (log_own.size() > 1) out.add("exponent", labels, fit_line(log_index, log_own).slope);
}

}  // namespace

Dependency dependency_of(const Transformer& model, Stack stack, const TapRecorder& taps) {
  Dependency result;
  result.exact = norm_row(stack_plan(model.config(), stack).norm).linear;
  walk_components(model, stack, taps, [&](const Tap& tap, const at::Tensor& parts) {
    const at::Tensor& whole = taps.value(tap.name());
    const double error = ((whole - parts.sum(0)).norm() / whole.norm()).item<double>();
    result.error = std::max(result.error, error);
    result.beta.push_back(numbers_of<double>(deviation(parts.slice(0, 1)) / deviation(whole)));
  });
  return result;
}

void dependency(const Subject& subject, Readings& out) {
  const auto model = subject.build();
  const TapRecorder taps = subject.watched_forward(*model);
  for (Stack stack : subject.stacks()) {
    const Labels labels = {{"stack", std::string(word(stack))}};
    const Dependency found = dependency_of(*model, stack, taps);
    for (size_t i = 0; i < found.beta.size(); ++i) {
      const auto at = static_cast<double>(i + 1);
      out.add("own", labels, "sublayer", at, found.own(i));
      for (size_t j = 0; j < found.beta[i].size(); ++j) {
        Labels from = labels;
        from.emplace_back("from", std::to_string(j));
        out.add("beta", from, "sublayer", at, found.beta[i][j]);
      }
    }
    fit_exponent(found, labels, out);
    out.add("error", labels, found.error);
    out.add("exact", labels, found.exact ? 1 : 0);
  }
}

}  // namespace plumb::probe
