#pragma once

#include <map>
#include <string>
#include <vector>

#include "plumb/data/token_file.h"
#include "plumb/task/batch.h"

namespace plumb {

/// A text as one long row of tokens, each line ended by </s>.
class TokenStream {
 public:
  explicit TokenStream(const std::string& file);

  int64_t tokens() const { return ends_.empty() ? 0 : ends_.back(); }
  int64_t lines() const { return file_.sentences(); }
  int64_t end_of_line(int64_t line) const { return ends_[static_cast<size_t>(line)]; }
  std::span<const int32_t> line(int64_t line) const { return file_[line]; }

  int32_t operator[](int64_t position) const;
  void copy(int64_t begin, int64_t end, Packer& to) const;

  /// How often each token occurs, </s> among them.
  std::map<int32_t, int64_t> counts() const;

 private:
  int64_t line_of(int64_t position) const;

  TokenFile file_;
  std::vector<int64_t> ends_;  // of each line, behind its </s>
};

}  // namespace plumb
