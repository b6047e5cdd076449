#include "plumb/store/weights_file.h"

#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/base/error.h"
#include "plumb/base/nearest_name.h"
#include "plumb/base/safetensors.h"

namespace plumb {
namespace {

DType file_type(at::ScalarType type) {
  return type == at::kDouble ? DType::F64 : DType::F32;
}

std::optional<at::ScalarType> memory_type(DType type) {
  switch (type) {
    case DType::F64:
      return at::kDouble;
    case DType::F32:
      return at::kFloat;
    case DType::F16:
      return at::kHalf;
    case DType::BF16:
      return at::kBFloat16;
    default:
      return std::nullopt;
  }
}

std::string shape_text(std::span<const int64_t> shape) {
  std::string text;
  for (int64_t n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return '[' + text + ']';
}

[[noreturn]] void refuse_unknown(const ParameterStore& store, const std::string& path, const std::string& name) {
  std::vector<std::string_view> names;
  for (const auto& entry : store.entries()) names.push_back(entry.spec.name);
  const std::string near = nearest(name, names);
  throw UserError(path, "the model has no tensor " + name + (near.empty() ? "" : ", only " + near),
                  "Use the configuration that the file was made with");
}

void check_tensor(const TensorEntry& tensor, const std::vector<int64_t>& shape, const std::string& path) {
  if (!memory_type(tensor.dtype)) {
    throw DamagedFile(path, tensor.name + " holds " + std::string(dtype_name(tensor.dtype)) + " instead of weights",
                      "Weights must be F64, F32, F16 or BF16");
  }
  if (shape != tensor.shape) {
    throw UserError(path,
                    tensor.name + " is " + shape_text(tensor.shape) + ", but the model wants " + shape_text(shape),
                    "Use the configuration that the file was made with");
  }
}

void check(const ParameterStore& store, const SafetensorsReader& file, const std::string& path) {
  for (const TensorEntry& tensor : file.tensors()) {
    if (!store.has(tensor.name)) refuse_unknown(store, path, tensor.name);
    check_tensor(tensor, store.entry(tensor.name).spec.shape, path);
  }
  for (const auto& entry : store.entries()) {
    if (!file.find(entry.spec.name)) {
      throw UserError(path, "tensor " + entry.spec.name + " is missing",
                      "Use the configuration that the file was made with");
    }
  }
}

at::Tensor read(const SafetensorsReader& file, const TensorEntry& entry, at::ScalarType as) {
  const at::Tensor raw = at::empty(entry.shape, Where(*memory_type(entry.dtype)).options());
  file.read(entry, cpu_bytes(raw));
  return raw.to(as);
}

// Equal bit for bit as far as anybody can tell: a NaN equals a NaN here.
bool same(const at::Tensor& a, const at::Tensor& b) {
  return at::allclose(a, b, /*rtol=*/0, /*atol=*/0, /*equal_nan=*/true);
}

// Where the tensor goes; nowhere if the store has none of this name, or has it under another one (a tied tensor, which
// comes under its first name too).
at::Tensor target_of(const ParameterStore& store, const std::string& name) {
  return store.has(name) && store.entry(name).spec.name == name ? store.value(name) : at::Tensor();
}

// In the order of their bytes, and all of them if there is a checksum to compare.
void read_tensors(ParameterStore& store, const SafetensorsReader& file, const std::string& path,
                  const std::string& xxh64) {
  Xxh64 checksum;
  file.read_header(checksum);
  std::vector<std::byte> passed;
  for (const TensorEntry& tensor : file.tensors()) {
    const at::Tensor target = target_of(store, tensor.name);
    if (!target.defined()) {
      if (xxh64.empty()) continue;
      passed.resize(tensor.size());
      file.read(tensor, passed, checksum);
    } else if (target.is_cpu() && target.scalar_type() == memory_type(tensor.dtype)) {
      file.read(tensor, cpu_bytes(target), checksum);
    } else {
      const at::Tensor raw = at::empty(tensor.shape, Where(*memory_type(tensor.dtype)).options());
      file.read(tensor, cpu_bytes(raw), checksum);
      target.copy_(raw);
    }
  }
  if (!xxh64.empty() && checksum.hex_digest() != xxh64) {
    throw DamagedFile(path, "does not match its checksum", "Use another checkpoint");
  }
}

}  // namespace

void save_weights(const ParameterStore& store, const std::filesystem::path& path,
                  const std::map<std::string, std::string>& metadata) {
  const at::Tensor values = store.values().cpu();
  std::vector<TensorSource> sources;
  for (const auto& entry : store.entries()) {
    const at::Tensor value = values.narrow(0, entry.offset, entry.count);
    sources.push_back({entry.spec.name, file_type(value.scalar_type()), entry.spec.shape, cpu_bytes(value)});
  }
  write_safetensors(path, sources, metadata);
}

void check_weights(const ParameterStore& store, const std::filesystem::path& path) {
  check(store, SafetensorsReader(path), path.string());
}

Unmatched load_matching_weights(ParameterStore& store, const std::filesystem::path& path, const std::string& xxh64) {
  at::NoGradGuard no_grad;
  const SafetensorsReader file(path);
  Unmatched unmatched;
  bool found = false;
  for (const auto& entry : store.entries()) {
    const TensorEntry* tensor = file.find(entry.spec.name);
    if (tensor) check_tensor(*tensor, entry.spec.shape, path.string());
    if (!tensor) unmatched.missing.push_back(entry.spec.name);
    found = found || tensor;
  }
  if (!found) {
    throw UserError(path.string(), "has no tensor of this model", "Fine-tune a run of the same kind of model");
  }
  read_tensors(store, file, path.string(), xxh64);
  for (const TensorEntry& tensor : file.tensors()) {
    if (!store.has(tensor.name)) unmatched.unused.push_back(tensor.name);
  }
  return unmatched;
}

void load_weights(ParameterStore& store, const std::filesystem::path& path, const std::string& xxh64) {
  at::NoGradGuard no_grad;
  const SafetensorsReader file(path);
  check(store, file, path.string());
  const at::ScalarType type = store.where().dtype;
  for (const auto& [name, of] : store.aliases()) {
    const TensorEntry* second = file.find(name);
    if (second && !same(read(file, *second, type), read(file, *file.find(of), type))) {
      throw UserError(path.string(), name + " and " + of + " are tied in the model, but differ in the file",
                      "Untie them in the configuration");
    }
  }
  read_tensors(store, file, path.string(), xxh64);
}

// Smallest and largest are NaN or infinite if any value is; finding out which is for the rare case.
std::string nonfinite_tensor(const ParameterStore& store) {
  at::NoGradGuard no_grad;
  const auto finite = [](const at::Tensor& x) {
    const auto [least, most] = at::aminmax(x);
    return std::isfinite(least.item<double>()) && std::isfinite(most.item<double>());
  };
  if (store.values().numel() == 0 || finite(store.values())) return "";
  for (const auto& entry : store.entries()) {
    if (entry.count > 0 && !finite(store.value(entry.spec.name))) return entry.spec.name;
  }
  return "";
}

}  // namespace plumb
