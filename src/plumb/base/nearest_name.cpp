#include "plumb/base/nearest_name.h"

#include <algorithm>
#include <array>
#include <vector>

namespace plumb {
namespace {

unsigned char fold(char c) {
  return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

size_t gap(size_t a, size_t b) {
  return a > b ? a - b : b - a;
}

}  // namespace

// The unrestricted distance of Lowrance and Wagner (1975): swapped letters may have others typed between them.
size_t edit_distance(std::string_view a, std::string_view b) {
  const size_t rows = a.size() + 1, columns = b.size() + 1;
  std::vector<size_t> cost(rows * columns);
  const auto at = [&](size_t i, size_t j) -> size_t& { return cost[i * columns + j]; };
  for (size_t i = 0; i < rows; ++i) at(i, 0) = i;
  for (size_t j = 0; j < columns; ++j) at(0, j) = j;

  std::array<size_t, 256> last_row_of{};  // where each letter of b last stood in a; 0 is nowhere yet
  for (size_t i = 1; i < rows; ++i) {
    size_t last_column = 0;  // where this letter of a last stood in b
    for (size_t j = 1; j < columns; ++j) {
      const bool same = fold(a[i - 1]) == fold(b[j - 1]);
      const size_t k = last_row_of[fold(b[j - 1])], l = last_column;
      size_t best = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (same ? 0 : 1)});
      if (k > 0 && l > 0) best = std::min(best, at(k - 1, l - 1) + (i - k - 1) + 1 + (j - l - 1));
      if (same) last_column = j;
      at(i, j) = best;
    }
    last_row_of[fold(a[i - 1])] = i;
  }
  return at(rows - 1, columns - 1);
}

std::string nearest(std::string_view wanted, std::span<const std::string_view> names) {
  const size_t near = std::max<size_t>(2, wanted.size() / 3);
  size_t best = near + 1;
  std::string found;
  for (const std::string_view name : names) {
    if (gap(wanted.size(), name.size()) >= best) continue;  // also keeps the table small for a huge `wanted`
    const size_t distance = edit_distance(wanted, name);
    if (distance < best && distance < std::max(wanted.size(), name.size())) {
      best = distance;
      found = name;
    }
  }
  return found;
}

}  // namespace plumb
