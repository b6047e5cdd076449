#include "plumb/process/engine_process.h"

#include <cerrno>
#include <fstream>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"
#include "plumb/process/engine_environment.h"
#include "plumb/process/memory_limits.h"
#include "plumb/process/spawn.h"

namespace plumb {
namespace {

constexpr char kEngine[] = "plumb-engine";

FileDescriptor open_or_throw(const std::filesystem::path& path, int flags) {
  FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0666));
  if (!file.is_open()) throw DiskError(path.string(), "cannot be opened: " + reason_of(errno), "Choose another --out");
  return file;
}

}  // namespace

Child start_engine(const std::filesystem::path& plumb, const std::vector<std::string>& arguments,
                   const std::filesystem::path& said, const std::filesystem::path& output) {
  const FileDescriptor in = open_or_throw("/dev/null", O_RDONLY);
  const FileDescriptor out = open_or_throw(output.empty() ? "/dev/null" : output, O_WRONLY | O_CREAT | O_TRUNC);
  const FileDescriptor error = said.empty() ? FileDescriptor() : open_or_throw(said, O_WRONLY | O_CREAT | O_APPEND);
  Program program{.file = plumb, .arguments = {"plumb"}, .in = in.get(), .out = out.get()};
  program.arguments.insert(program.arguments.end(), arguments.begin(), arguments.end());
  if (error.is_open()) program.error = error.get();
  program.own_group = true;
  program.ends_with_parent = true;
  return spawn(program);
}

std::string last_complaint(const std::filesystem::path& said, uint64_t begin) {
  constexpr std::string_view kOurs = "plumb: ";
  std::ifstream file(said, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin));
  std::string any, ours;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    any = line;
    if (line.starts_with(kOurs)) ours = line.substr(kOurs.size());
  }
  return ours.empty() ? any : ours;
}

void become_engine(const std::vector<std::string>& arguments) {
  check_engine_fits();
  set_engine_environment();
  std::vector<std::string> argv = {kEngine};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  become(program_beside(kEngine), argv);
}

}  // namespace plumb
