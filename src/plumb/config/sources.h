#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "plumb/config/setting.h"

namespace plumb {

/// Where each key got its value, so that a check of a combination can name the line to change. A key that nobody
/// set is not here: it has its default.
class Sources {
 public:
  void record(const Setting& setting);

  bool has(std::string_view key) const { return set_.find(key) != set_.end(); }

  /// Whether any key of `section` was set.
  bool has_section(std::string_view section) const;

  /// "configs/x.toml:7 model.heads", "--set model.heads", or only the key.
  std::string where(std::string_view key) const;

  /// The key of these that was set last: the one whose change made the combination. The first if none was set.
  std::string_view latest(std::initializer_list<std::string_view> keys) const;

 private:
  struct Mark {
    std::string source;
    int order;
  };
  std::map<std::string, Mark, std::less<>> set_;
  int settings_ = 0;
};

}  // namespace plumb
