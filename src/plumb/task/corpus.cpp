#include "plumb/task/corpus.h"

#include <cmath>

namespace plumb {

double entropy_of(const std::map<int32_t, int64_t>& counts) {
  double total = 0, entropy = 0;
  for (const auto& [thing, count] : counts) total += static_cast<double>(count);
  for (const auto& [thing, count] : counts) {
    const double p = static_cast<double>(count) / total;
    entropy -= p * std::log(p);
  }
  return entropy;
}

}  // namespace plumb
