#pragma once

#include <string>
#include <string_view>

namespace plumb {

/// "0.1.0"
std::string_view version();

/// The commit that the library was built from: "3e65a19c0b7d", with "-dirty" behind it if files had been changed since.
/// Empty if it was built without git. Defined in a file that every build writes (cmake/write_version.cmake).
std::string_view commit();

/// "0.1.0 (3e65a19c0b7d)"
inline std::string full_version() {
  std::string text(version());
  if (!commit().empty()) text.append(" (").append(commit()).append(")");
  return text;
}

}  // namespace plumb
