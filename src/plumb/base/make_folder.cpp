#include "plumb/base/make_folder.h"

#include <string>

#include "plumb/base/error.h"

namespace plumb {

void make_folder(const std::filesystem::path& folder, std::string_view remedy) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw DiskError(folder.string(), "cannot be created (" + error.message() + ")", std::string(remedy));
}

}  // namespace plumb
