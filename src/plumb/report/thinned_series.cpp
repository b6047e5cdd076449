#include "plumb/report/thinned_series.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plumb::report {
namespace {

using Gap = ThinnedSeries::Gap;

/// Finite points and, apart from them, the stretches between that are not.
ThinnedSeries parted(const Series& series) {
  ThinnedSeries result;
  bool in_gap = false;
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (std::isfinite(series.y[i])) {
      result.x.push_back(series.x[i]);
      result.y.push_back(series.y[i]);
      in_gap = false;
    } else if (in_gap) {
      result.gaps.back().to = series.x[i];
      ++result.gaps.back().count;
    } else {
      result.gaps.push_back({series.x[i], series.x[i], series.y[i], 1});
      in_gap = true;
    }
  }
  result.logged = result.x.size();
  return result;
}

std::vector<Gap> joined(const std::vector<Gap>& gaps) {
  if (gaps.size() <= kMostGaps) return gaps;
  std::vector<Gap> result;
  for (size_t i = 0; i < gaps.size(); ++i) {
    const size_t place = i * kMostGaps / gaps.size();
    if (place == result.size()) {
      result.push_back(gaps[i]);
    } else {
      result.back().to = gaps[i].to;
      result.back().count += gaps[i].count;
    }
  }
  return result;
}

/// The places of the lowest and the highest of [begin, end), in the order in which they stand.
std::pair<size_t, size_t> extremes(const std::vector<double>& y, size_t begin, size_t end) {
  const auto first = y.begin() + static_cast<std::ptrdiff_t>(begin),
             last = y.begin() + static_cast<std::ptrdiff_t>(end);
  const auto [low, high] = std::minmax_element(first, last);
  const auto a = static_cast<size_t>(low - y.begin()), b = static_cast<size_t>(high - y.begin());
  return {std::min(a, b), std::max(a, b)};
}

/// Over [begin, end). Values may be so large that their sum is no double.
ThinnedSeries::Mean mean_of(const ThinnedSeries& all, size_t begin, size_t end) {
  long double sum = 0;
  for (size_t i = begin; i < end; ++i) sum += all.y[i];
  const size_t count = end - begin;
  return {all.x[end - 1], static_cast<double>(sum / static_cast<long double>(count)), count};
}

}  // namespace

ThinnedSeries thinned(const Series& series, size_t most) {
  ThinnedSeries all = parted(series);
  all.gaps = joined(all.gaps);
  if (all.x.size() <= most) return all;
  ThinnedSeries result;
  result.gaps = std::move(all.gaps);
  result.logged = all.logged;
  const auto keep = [&](size_t i) {
    result.x.push_back(all.x[i]);
    result.y.push_back(all.y[i]);
  };
  const auto keep_bucket = [&](size_t begin, size_t end) {
    const auto [a, b] = extremes(all.y, begin, end);
    keep(a);
    if (b != a) keep(b);
    result.means.push_back(mean_of(all, begin, end));
  };
  // The two ends are kept as they are; the rest is cut into buckets of two points each.
  const size_t inner = all.x.size() - 2, buckets = std::max<size_t>(1, (most - 2) / 2);
  keep_bucket(0, 1);
  for (size_t bucket = 0; bucket < buckets; ++bucket) {
    keep_bucket(1 + bucket * inner / buckets, 1 + (bucket + 1) * inner / buckets);
  }
  keep_bucket(inner + 1, inner + 2);
  return result;
}

}  // namespace plumb::report
