#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "plumb/base/file_descriptor.h"

namespace plumb {

/// One line of JSON without its line break. Numbers that are not finite become the strings "NaN", "Infinity" and
/// "-Infinity": JSON has no such numbers, and the library's own null would lose which one it was, in a tool whose
/// business is divergence. Text that is not UTF-8 is written with replacement characters.
std::string to_json_line(const nlohmann::json& value);

/// The way back for a number that to_json_line wrote, finite or not. Throws nlohmann's type_error for anything else.
double number_of_json(const nlohmann::json& value);

/// Appends records to a log, one line each. A line is handed to the system whole and at once, so that a reader who
/// follows the file, or a crash of this process, never sees half of one.
class JsonlWriter {
 public:
  explicit JsonlWriter(const std::filesystem::path& path);

  void write(const nlohmann::json& record);

 private:
  std::string path_;
  FileDescriptor file_;
};

}  // namespace plumb
