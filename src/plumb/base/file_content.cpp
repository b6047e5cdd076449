#include "plumb/base/file_content.h"

#include <fstream>
#include <iterator>

namespace plumb {

std::string file_content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace plumb
