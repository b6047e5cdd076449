#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/config/load.h"

/// What the tests of config/ share: files in a folder of their own, and the message of an error.
namespace plumb::test {

/// A folder that is gone at the end of the test.
class Folder {
 public:
  Folder() {
    static std::atomic<int> count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("plumb_config_test_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }

  std::filesystem::path path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

using Overrides = std::vector<std::string>;

/// The one line that the user sees, or "" if nothing was wrong.
template <class Function>
std::string error_of(Function&& function) {
  try {
    function();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

inline std::string error_of_set(const Overrides& overrides) {
  return error_of([&] { load_overrides(overrides); });
}

}  // namespace plumb::test
