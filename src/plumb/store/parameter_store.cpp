#include "plumb/store/parameter_store.h"

#include <numeric>
#include <utility>

#include <ATen/ATen.h>

#include "plumb/memory/fits.h"
#include "plumb/store/draw.h"

namespace plumb {
namespace {

constexpr int64_t kAlignment = 16;  // elements: 64 bytes of floats, so that every block suits a full SIMD register

int64_t product(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

int64_t aligned(int64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

const at::Tensor& Parameter::operator*() const {
  TORCH_CHECK(store_ && block_ < store_->leaves_.size(), "a parameter was read before its store was allocated");
  return store_->leaves_[block_];
}

ParameterSpec spec_at(const ParameterPlace& place, std::string_view tensor, std::vector<int64_t> shape, Fill fill) {
  return {place.name(tensor), std::move(shape), fill, place};
}

Parameter ParameterStore::declare(ParameterSpec spec) {
  std::vector<ParameterSpec> one;
  one.push_back(std::move(spec));
  return declare_stacked(std::move(one));
}

Parameter ParameterStore::declare_stacked(std::vector<ParameterSpec> specs) {
  TORCH_CHECK(!values_.defined(), "parameter ", specs.front().name, " was declared after the store was allocated");
  for (const ParameterSpec& spec : specs) TORCH_CHECK(!spec.shape.empty(), "parameter ", spec.name, " has no shape");
  Block block{.offset = aligned(size_), .shape = specs.front().shape};
  block.shape[0] = 0;
  size_ = block.offset;
  for (ParameterSpec& spec : specs) {
    const int64_t count = product(spec.shape);
    block.shape[0] += spec.shape[0];
    TORCH_CHECK(std::equal(spec.shape.begin() + 1, spec.shape.end(), block.shape.begin() + 1, block.shape.end()),
                "parameter ", spec.name, " does not stack: its trailing dimensions differ");
    TORCH_CHECK(index_.emplace(spec.name, entries_.size()).second, "parameter ", spec.name, " is declared twice");
    entries_.push_back({std::move(spec), size_, count, blocks_.size()});
    size_ += count;
  }
  blocks_.push_back(std::move(block));
  return {this, blocks_.size() - 1};
}

void ParameterStore::alias(const std::string& name, const std::string& of) {
  TORCH_CHECK(index_.contains(of), "alias ", name, " of an unknown parameter ", of);
  TORCH_CHECK(!index_.contains(name), "alias ", name, " is a parameter already");
  aliases_[name] = of;
}

void ParameterStore::allocate(const Where& where) {
  TORCH_CHECK(!values_.defined(), "the parameters were allocated already");
  size_ = aligned(size_);
  where_ = where;
  if (where.device.is_cpu()) {
    memory::check_fits("weights and gradients",
                       2 * static_cast<double>(size_) * static_cast<double>(c10::elementSize(where.dtype)),
                       "Use a smaller model");
  }
  values_ = at::zeros({size_}, where.options());
  gradients_ = at::zeros({size_}, where.options());
  leaves_.reserve(blocks_.size());
  for (const Block& block : blocks_) {
    const int64_t count = product(block.shape);
    // detach() makes a leaf that still shares the buffer's memory; AccumulateGrad then adds in place into the
    // gradient it finds, so that every backward pass ends in the flat buffer without a copy.
    at::Tensor leaf = values_.narrow(0, block.offset, count).view(block.shape).detach().requires_grad_();
    leaf.mutable_grad() = gradients_.narrow(0, block.offset, count).view(block.shape);
    leaves_.push_back(std::move(leaf));
  }
}

void ParameterStore::draw(uint64_t seed) {
  for (const Entry& entry : entries_) {
    draw_values(view(values_, entry), entry.spec.fill, seed, "init/" + entry.spec.name);
  }
}

bool ParameterStore::has(std::string_view name) const {
  return index_.contains(name) || aliases_.contains(std::string(name));
}

const ParameterStore::Entry& ParameterStore::entry(std::string_view name) const {
  auto found = index_.find(name);
  if (found == index_.end()) {
    const auto tied = aliases_.find(std::string(name));
    TORCH_CHECK(tied != aliases_.end(), "no parameter is called ", name);
    found = index_.find(tied->second);
  }
  return entries_[found->second];
}

at::Tensor ParameterStore::view(const at::Tensor& buffer, const Entry& entry) const {
  return buffer.narrow(0, entry.offset, entry.count).view(entry.spec.shape);
}

at::Tensor ParameterStore::value(std::string_view name) const {
  return view(values_, entry(name));
}

at::Tensor ParameterStore::gradient(std::string_view name) const {
  return view(gradients_, entry(name));
}

void ParameterStore::zero_gradients() {
  gradients_.zero_();
}

int64_t ParameterStore::parameter_count() const {
  int64_t count = 0;
  for (const Entry& entry : entries_) count += entry.count;
  return count;
}

}  // namespace plumb
