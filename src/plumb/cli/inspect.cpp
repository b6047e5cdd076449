// plumb inspect FILE: what is in a safetensors file, without reading its weights.

#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"
#include "plumb/base/safetensors.h"
#include "plumb/base/table.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/front.h"

namespace plumb {
namespace {

// A name from a file may hold line breaks or terminal codes: one tensor stays one line.
std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

struct Totals {
  uint64_t bytes = 0, elements = 0;
};

Totals totals(const SafetensorsReader& file) {
  Totals sum;
  for (const TensorEntry& tensor : file.tensors()) {
    sum.bytes += tensor.size();
    sum.elements += tensor.size() / dtype_size(tensor.dtype);
  }
  return sum;
}

std::string as_text(const SafetensorsReader& file) {
  Table table({{"name"}, {"dtype"}, {"shape"}, {"bytes", Table::Align::Right}});
  for (const TensorEntry& tensor : file.tensors()) {
    table.add_row({printable(tensor.name), std::string(dtype_name(tensor.dtype)),
                   fmt::format("[{}]", fmt::join(tensor.shape, ", ")), std::to_string(tensor.size())});
  }
  const Totals sum = totals(file);
  std::string text = file.tensors().empty() ? "" : table.to_string() + "\n";
  text += fmt::format("{} tensors, {} elements, {} bytes\n", file.tensors().size(), sum.elements, sum.bytes);
  for (const auto& [key, value] : file.metadata()) {
    text += fmt::format("metadata {}: {}\n", printable(key), printable(value));
  }
  return text;
}

std::string as_json(const SafetensorsReader& file) {
  const Totals sum = totals(file);
  nlohmann::json tensors = nlohmann::json::array();
  for (const TensorEntry& tensor : file.tensors()) {
    tensors.push_back({{"name", tensor.name},
                       {"dtype", dtype_name(tensor.dtype)},
                       {"shape", tensor.shape},
                       {"bytes", tensor.size()}});
  }
  return to_json_line({{"tensors", tensors},
                       {"count", file.tensors().size()},
                       {"elements", sum.elements},
                       {"bytes", sum.bytes},
                       {"metadata", file.metadata()}}) +
         "\n";
}

}  // namespace

int inspect_command(int argc, char** argv) {
  std::string path;
  bool json = false;
  CLI::App app;
  app.add_option("FILE", path, "a .safetensors file")->required();
  app.add_flag("--json", json, "machine-readable, on one line");
  if (!parse_arguments(app, argc, argv)) return 0;
  const SafetensorsReader file(path);
  print(json ? as_json(file) : as_text(file));
  return 0;
}

}  // namespace plumb
