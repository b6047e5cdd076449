#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/catalogue/initialisation.h"
#include "plumb/memory/where.h"
#include "plumb/store/place.h"

namespace plumb {

class ParameterStore;

/// A parameter as a module holds it: a place in the store. Absent parameters are falsy.
class Parameter {
 public:
  Parameter() = default;

  explicit operator bool() const { return store_ != nullptr; }
  /// The leaf that takes part in autograd.
  const at::Tensor& operator*() const;
  const at::Tensor* operator->() const { return &**this; }

 private:
  friend class ParameterStore;
  Parameter(const ParameterStore* store, size_t block) : store_(store), block_(block) {}

  const ParameterStore* store_ = nullptr;
  size_t block_ = 0;
};

/// Name, shape, first values and place of one tensor.
struct ParameterSpec {
  std::string name;
  std::vector<int64_t> shape;
  Fill fill;
  ParameterPlace place = {};
};

/// The spec of a tensor that is named after its place.
ParameterSpec spec_at(const ParameterPlace& place, std::string_view tensor, std::vector<int64_t> shape, Fill fill);

/// All parameters of a model in one contiguous buffer, and their gradients in another of the same layout.
///
/// Modules declare what they need, then `allocate` lays it out. Several tensors can be declared as one block: they
/// are adjacent, and autograd sees one leaf (`q_proj`, `k_proj`, `v_proj` as a `[3D, D]` matrix), while each keeps its
/// own name as a view. Blocks start on 64-byte boundaries; the gaps hold zeros and belong to nobody.
class ParameterStore {
 public:
  struct Entry {
    ParameterSpec spec;
    int64_t offset = 0;
    int64_t count = 0;
    size_t block = 0;
  };

  ParameterStore() = default;
  ParameterStore(const ParameterStore&) = delete;
  ParameterStore& operator=(const ParameterStore&) = delete;

  Parameter declare(ParameterSpec spec);
  Parameter declare(const ParameterPlace& place, std::string_view tensor, std::vector<int64_t> shape, Fill fill) {
    return declare(spec_at(place, tensor, std::move(shape), fill));
  }
  /// Adjacent tensors with equal trailing dimensions, stacked along the first one.
  Parameter declare_stacked(std::vector<ParameterSpec> specs);
  /// A second name for a tied tensor; it is stored, counted and saved once.
  void alias(const std::string& name, const std::string& of);

  /// Lays everything out, zeroed. No parameter can be declared afterwards.
  void allocate(const Where& where);
  /// Draws the first values. Each tensor has its own random stream, named after it: a tensor that two variants share
  /// starts equal in both, whatever else they declare.
  void draw(uint64_t seed);

  const std::vector<Entry>& entries() const { return entries_; }
  const std::map<std::string, std::string>& aliases() const { return aliases_; }
  bool has(std::string_view name) const;
  /// By name, which may be an alias.
  const Entry& entry(std::string_view name) const;
  /// Views by name, outside autograd.
  at::Tensor value(std::string_view name) const;
  at::Tensor gradient(std::string_view name) const;

  /// The flat buffers. `leaves` are the blocks, views into `values`, whose `.grad()` are views into `gradients`.
  const at::Tensor& values() const { return values_; }
  const at::Tensor& gradients() const { return gradients_; }
  const std::vector<at::Tensor>& leaves() const { return leaves_; }
  const Where& where() const { return where_; }
  void zero_gradients();

  int64_t parameter_count() const;

 private:
  friend class Parameter;
  struct Block {
    int64_t offset = 0;
    std::vector<int64_t> shape;
  };

  at::Tensor view(const at::Tensor& buffer, const Entry& entry) const;

  std::vector<Entry> entries_;
  std::vector<Block> blocks_;
  std::map<std::string, size_t, std::less<>> index_;
  std::map<std::string, std::string> aliases_;
  int64_t size_ = 0;
  Where where_;
  at::Tensor values_, gradients_;
  std::vector<at::Tensor> leaves_;
};

}  // namespace plumb
