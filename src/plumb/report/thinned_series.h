#pragma once

#include <cstddef>
#include <vector>

namespace plumb::report {

/// A curve as it was logged. `x` ascends; `y` may hold NaN and infinities.
struct Series {
  std::vector<double> x, y;
};

/// A curve that a page can draw: at most about as many points as the screen has columns.
///
/// The finite points are cut into buckets of equal count, and of each bucket the lowest and the highest are kept, where
/// they stood; so are the first and the last of all. No peak is lost and none is invented: every point was logged.
/// What is not finite is no point but a gap, and every gap is kept.
///
/// Lowest and highest say nothing of the middle: whoever smooths the curve needs the means.
struct ThinnedSeries {
  struct Gap {
    double from, to;  // the x of its first and last value
    double value;     // the first: NaN, infinity or -infinity
    size_t count;     // how many were logged in it
  };
  struct Mean {
    double x;      // of the last value of its bucket
    double value;  // over all values of it
    size_t count;
  };
  std::vector<double> x, y;  // finite
  std::vector<Gap> gaps;     // ascending; beyond kMostGaps neighbours are joined
  std::vector<Mean> means;   // of every bucket and both ends; none if the curve is not thinned
  size_t logged = 0;         // finite points before the thinning

  bool is_thinned() const { return logged > x.size(); }
};

constexpr size_t kMostGaps = 200;

/// `most` is at least 4.
ThinnedSeries thinned(const Series& series, size_t most);

}  // namespace plumb::report
