#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "plumb/report/page_data.h"

namespace plumb::report {

/// Folders whose files change while they are looked at: runs that train, and runs that begin.
class FollowedFolders {
 public:
  explicit FollowedFolders(std::vector<std::string> given);

  /// Reads everything anew if a file of it has changed; true if it has, and the first time.
  bool refresh();

  /// As of the last refresh.
  const nlohmann::json& data() const { return data_; }

 private:
  std::vector<std::string> given_;
  std::string seen_;  // sizes and times of all files, as one text
  ReadRuns read_;
  nlohmann::json data_;
};

}  // namespace plumb::report
