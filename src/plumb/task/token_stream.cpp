#include "plumb/task/token_stream.h"

#include <algorithm>

#include "plumb/catalogue/special_ids.h"

namespace plumb {

TokenStream::TokenStream(const std::string& file) : file_(file) {
  int64_t end = 0;
  for (int64_t line = 0; line < file_.sentences(); ++line) ends_.push_back(end += std::ssize(file_[line]) + 1);
}

int64_t TokenStream::line_of(int64_t position) const {
  return std::ranges::upper_bound(ends_, position) - ends_.begin();
}

int32_t TokenStream::operator[](int64_t position) const {
  const int64_t line = line_of(position);
  const std::span<const int32_t> ids = file_[line];
  const int64_t place = position - (end_of_line(line) - std::ssize(ids) - 1);
  return place < std::ssize(ids) ? ids[static_cast<size_t>(place)] : kEos;
}

void TokenStream::copy(int64_t begin, int64_t end, Packer& to) const {
  for (int64_t line = line_of(begin), at = begin; at < end; ++line) {
    const std::span<const int32_t> ids = file_[line];
    const int64_t first = end_of_line(line) - std::ssize(ids) - 1;
    const int64_t from = at - first, until = std::min(end - first, std::ssize(ids));
    if (until > from) to.add(ids.subspan(static_cast<size_t>(from), static_cast<size_t>(until - from)));
    if (end >= end_of_line(line)) to.add(kEos);
    at = end_of_line(line);
  }
}

std::map<int32_t, int64_t> TokenStream::counts() const {
  std::map<int32_t, int64_t> counts;
  for (int64_t line = 0; line < lines(); ++line) {
    for (int32_t id : file_[line]) ++counts[id];
    ++counts[kEos];
  }
  return counts;
}

}  // namespace plumb
