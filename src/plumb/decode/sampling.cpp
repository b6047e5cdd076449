#include "plumb/decode/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace plumb {

int32_t draw_token(std::span<const double> log_p, double temperature, int64_t top_k, double top_p,
                   RandomStream& random) {
  std::vector<int32_t> order(log_p.size());
  std::iota(order.begin(), order.end(), 0);
  const auto p_of = [&](int32_t token) { return log_p[static_cast<size_t>(token)]; };
  std::ranges::stable_sort(order, std::ranges::greater{}, p_of);
  if (top_k > 0 && std::cmp_less(top_k, order.size())) order.resize(static_cast<size_t>(top_k));

  std::vector<double> mass;
  const double largest = p_of(order.front());
  for (int32_t token : order) mass.push_back(std::exp((p_of(token) - largest) / temperature));
  const double total = std::accumulate(mass.begin(), mass.end(), 0.0);
  double kept = 0;
  size_t count = 0;
  while (count < mass.size() && mass[count] > 0 && (count == 0 || kept < top_p * total)) kept += mass[count++];

  if (count == 0) return order.front();  // NaN from a broken model: any token, but no crash

  double left = random.uniform() * kept;
  for (size_t i = 0; i < count; ++i) {
    left -= mass[i];
    if (left < 0) return order[i];
  }
  return order[count - 1];
}

}  // namespace plumb
