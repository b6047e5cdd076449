#include "plumb/store/parameter_store.h"

#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

const Fill kNormal{.kind = Fill::Kind::Normal, .value = 1};

/// q, k and v as one block between two tensors whose sizes are not multiples of the alignment.
struct Sample {
  ParameterStore store;
  Parameter before, qkv, after;

  explicit Sample(at::ScalarType dtype = at::kDouble) {
    before = store.declare({"before", {3}, kNormal});
    qkv = store.declare_stacked({{"q", {2, 5}, kNormal}, {"k", {2, 5}, kNormal}, {"v", {3, 5}, kNormal}});
    after = store.declare({"after", {1}, kNormal});
    store.alias("tied", "after");
    store.allocate(dtype);
    store.draw(7);
  }
};

int64_t element_offset(const at::Tensor& buffer, const at::Tensor& view) {
  return (static_cast<const char*>(view.data_ptr()) - static_cast<const char*>(buffer.data_ptr())) /
         static_cast<int64_t>(buffer.element_size());
}

TEST(ParameterStore, KeepsTheTensorsOfAStackedBlockAdjacent) {
  const Sample s;
  const int64_t q = element_offset(s.store.values(), s.store.value("q"));
  EXPECT_EQ(element_offset(s.store.values(), s.store.value("k")), q + 10);
  EXPECT_EQ(element_offset(s.store.values(), s.store.value("v")), q + 20);
  EXPECT_EQ(element_offset(s.store.values(), *s.qkv), q);
  EXPECT_EQ(s.qkv->sizes(), (std::vector<int64_t>{7, 5}));
}

TEST(ParameterStore, NamesViewsOfTheSameMemory) {
  const Sample s;
  s.store.value("k").fill_(3);
  s.store.values()[element_offset(s.store.values(), s.store.value("v"))] = 4;
  EXPECT_TRUE(at::equal(s.qkv->detach().narrow(0, 2, 2), at::full({2, 5}, 3, at::kDouble)));
  EXPECT_EQ((*s.qkv)[4][0].item<double>(), 4);
  EXPECT_EQ((*s.qkv)[4][1].item<double>(), s.store.value("v")[0][1].item<double>());
}

TEST(ParameterStore, StartsEveryBlockOnASixtyFourByteBoundary) {
  for (at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    const Sample s(dtype);
    for (const at::Tensor& leaf : s.store.leaves()) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(leaf.data_ptr()) % 64, 0U);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(leaf.grad().data_ptr()) % 64, 0U);
    }
  }
}

TEST(ParameterStore, LaysEntriesOutInOrderWithoutOverlap) {
  const Sample s;
  int64_t end = 0;
  for (const auto& entry : s.store.entries()) {
    EXPECT_GE(entry.offset, end) << entry.spec.name;
    EXPECT_EQ(entry.offset, element_offset(s.store.values(), s.store.value(entry.spec.name)));
    EXPECT_EQ(entry.count, s.store.value(entry.spec.name).numel());
    end = entry.offset + entry.count;
  }
  EXPECT_GE(s.store.values().numel(), end);
  EXPECT_EQ(s.store.gradients().sizes(), s.store.values().sizes());
}

TEST(ParameterStore, CountsParametersWithoutTheGapsAndTiedOnesOnce) {
  const Sample s;
  EXPECT_EQ(s.store.parameter_count(), 3 + 35 + 1);
  EXPECT_GT(s.store.values().numel(), s.store.parameter_count());
}

TEST(ParameterStore, LeavesZerosInTheGaps) {
  const Sample s;
  at::Tensor rest = s.store.values().clone();
  for (const auto& entry : s.store.entries()) rest.narrow(0, entry.offset, entry.count).zero_();
  EXPECT_EQ(rest.abs().max().item<double>(), 0);
}

TEST(ParameterStore, HandsOutLeavesThatTakePartInAutograd) {
  const Sample s;
  EXPECT_EQ(s.store.leaves().size(), 3U);
  for (const at::Tensor& leaf : s.store.leaves()) {
    EXPECT_TRUE(leaf.is_leaf());
    EXPECT_TRUE(leaf.requires_grad());
  }
  EXPECT_FALSE(s.store.value("q").requires_grad());
  EXPECT_FALSE(s.store.gradient("q").requires_grad());
}

TEST(ParameterStore, AccumulatesGradientsIntoTheFlatBuffer) {
  Sample s;
  const at::Tensor w = at::arange(35, at::kDouble).view({7, 5});
  const auto backward = [&] { ((*s.qkv * w).sum() + 2 * s.before->sum() + *s.after * *s.after).sum().backward(); };
  backward();
  const at::Tensor once = s.store.gradients().clone();
  EXPECT_TRUE(at::equal(s.store.gradient("q"), w.narrow(0, 0, 2)));
  EXPECT_TRUE(at::equal(s.store.gradient("v"), w.narrow(0, 4, 3)));
  EXPECT_TRUE(at::equal(s.store.gradient("before"), at::full({3}, 2, at::kDouble)));
  EXPECT_TRUE(at::equal(s.store.gradient("after"), 2 * s.store.value("after")));
  backward();
  EXPECT_TRUE(at::equal(s.store.gradients(), 2 * once));
  s.store.zero_gradients();
  EXPECT_EQ(s.store.gradients().abs().max().item<double>(), 0);
  backward();
  EXPECT_TRUE(at::equal(s.store.gradients(), once));
}

TEST(ParameterStore, KeepsTheGradientOfALeafInsideTheFlatBuffer) {
  const Sample s;
  for (int pass = 0; pass < 2; ++pass) {
    for (const at::Tensor& leaf : s.store.leaves()) {
      EXPECT_TRUE(leaf.grad().is_alias_of(s.store.gradients()));
      EXPECT_TRUE(leaf.is_alias_of(s.store.values()));
      EXPECT_EQ(element_offset(s.store.gradients(), leaf.grad()), element_offset(s.store.values(), leaf));
    }
    (s.qkv->square().sum() + s.before->sum() + s.after->sum()).backward();
  }
}

TEST(ParameterStore, FindsATiedTensorUnderItsSecondName) {
  const Sample s;
  EXPECT_TRUE(s.store.has("tied"));
  EXPECT_EQ(s.store.value("tied").data_ptr(), s.store.value("after").data_ptr());
  EXPECT_EQ(s.store.gradient("tied").data_ptr(), s.store.gradient("after").data_ptr());
  EXPECT_EQ(s.store.aliases().at("tied"), "after");
  EXPECT_EQ(s.store.entries().size(), 5U);
  EXPECT_FALSE(s.store.has("q.weight"));
}

TEST(ParameterStore, RefusesUnknownNames) {
  Sample s;
  EXPECT_THROW(s.store.value("nobody"), c10::Error);
  EXPECT_THROW(s.store.gradient("qkv"), c10::Error);
  EXPECT_THROW(s.store.alias("second", "nobody"), c10::Error);
}

TEST(ParameterStore, RefusesADeclarationAfterTheAllocation) {
  Sample s;
  EXPECT_THROW(s.store.declare({"late", {2}, {}}), c10::Error);
}

TEST(ParameterStore, RefusesTheSameNameTwice) {
  ParameterStore store;
  store.declare({"w", {2}, {}});
  EXPECT_THROW(store.declare({"w", {2}, {}}), c10::Error);
  ParameterStore stacked;
  EXPECT_THROW(stacked.declare_stacked({{"w", {2}, {}}, {"w", {2}, {}}}), c10::Error);
}

TEST(ParameterStore, RefusesToStackWhatDoesNotStack) {
  ParameterStore store;
  EXPECT_THROW(store.declare_stacked({{"a", {2, 3}, {}}, {"b", {2, 4}, {}}}), c10::Error);
}

TEST(Parameter, IsFalsyWhenAbsentAndUnreadableBeforeTheAllocation) {
  EXPECT_FALSE(static_cast<bool>(Parameter()));
  ParameterStore store;
  const Parameter w = store.declare({"w", {2}, {}});
  EXPECT_TRUE(static_cast<bool>(w));
  EXPECT_THROW(*w, c10::Error);
  EXPECT_THROW(*Parameter(), c10::Error);
}

TEST(FirstValues, DependOnSeedAndNameOnly) {
  const Sample s;
  ParameterStore other;
  other.declare({"more", {100}, kNormal});
  other.declare({"v", {3, 5}, kNormal});  // here alone, there the third of a block
  other.declare({"q", {2, 5}, kNormal});
  other.allocate(at::kDouble);
  other.draw(7);
  EXPECT_TRUE(at::equal(other.value("v"), s.store.value("v")));
  EXPECT_TRUE(at::equal(other.value("q"), s.store.value("q")));
  EXPECT_FALSE(at::equal(s.store.value("k"), s.store.value("q")));
  other.draw(8);
  EXPECT_FALSE(at::equal(other.value("v"), s.store.value("v")));
  other.draw(7);
  EXPECT_TRUE(at::equal(other.value("v"), s.store.value("v")));
}

TEST(FirstValues, InFloatAreThoseInDoubleRounded) {
  const Sample in_double, in_float(at::kFloat);
  for (const auto& entry : in_double.store.entries()) {
    const std::string& name = entry.spec.name;
    EXPECT_TRUE(at::equal(in_float.store.value(name), in_double.store.value(name).to(at::kFloat))) << name;
  }
}

}  // namespace
}  // namespace plumb
