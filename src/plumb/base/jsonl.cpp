#include "plumb/base/jsonl.h"

#include <cerrno>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "plumb/base/disk_remedy.h"
#include "plumb/base/error.h"

namespace plumb {
namespace {

using nlohmann::json;

const char* name_of_nonfinite(double value) {
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

void replace_nonfinite(json& value) {
  if (value.is_structured()) {
    for (json& child : value) replace_nonfinite(child);
  } else if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    value = name_of_nonfinite(value.get<double>());
  }
}

// A crash or a full disk may have left half a line: the next record must not be glued to it.
bool ends_inside_a_line(const FileDescriptor& file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return false;
  char last = '\n';
  read_at(file, path, std::as_writable_bytes(std::span(&last, 1)), static_cast<uint64_t>(status.st_size) - 1);
  return last != '\n';
}

[[noreturn]] void fail(const std::string& path, const char* action, int error_number) {
  throw DiskError(path, action + reason_of(error_number), disk_remedy(error_number));
}

void append(const FileDescriptor& file, const std::string& path, std::string_view text) {
  const int error_number = write_fully(file, std::as_bytes(std::span(text)));
  if (error_number != 0) fail(path, "cannot be written: ", error_number);
}

}  // namespace

std::string to_json_line(const json& value) {
  json finite = value;
  replace_nonfinite(finite);
  return finite.dump(-1, ' ', false, json::error_handler_t::replace);
}

double number_of_json(const json& value) {
  if (!value.is_string()) return value.get<double>();
  const std::string& text = value.get_ref<const std::string&>();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return value.get<double>();  // throws: a string is no number
}

JsonlWriter::JsonlWriter(const std::filesystem::path& path)
    : path_(path.string()), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (!file_.is_open()) fail(path_, "cannot be opened: ", errno);
  if (ends_inside_a_line(file_, path_)) append(file_, path_, "\n");
}

void JsonlWriter::write(const json& record) {
  append(file_, path_, to_json_line(record) + "\n");
}

}  // namespace plumb
