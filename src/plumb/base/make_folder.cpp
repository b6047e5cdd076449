#include "plumb/base/make_folder.h"

#include <string>
#include <vector>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"

namespace plumb {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder, std::string_view remedy) {
  std::error_code error;
  std::vector<fs::path> above;  // those that get a new entry
  for (fs::path one = fs::absolute(folder, error); !error && !fs::exists(one, error) && one.has_relative_path();) {
    one = one.parent_path();
    above.push_back(one);
  }
  error.clear();
  fs::create_directories(folder, error);
  if (error) throw DiskError(folder.string(), "cannot be created (" + error.message() + ")", std::string(remedy));
  for (const fs::path& one : above) {
    const int error_number = sync_directory(one);
    if (error_number == 0) continue;
    throw DiskError(one.string(), "cannot be synced to the disk: " + reason_of(error_number), std::string(remedy));
  }
}

}  // namespace plumb
