#include "plumb/ops/packed.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace plumb::ops {
namespace {

std::vector<int64_t> numbers(const at::Tensor& x) {
  return {x.data_ptr<int64_t>(), x.data_ptr<int64_t>() + x.numel()};
}

using Numbers = std::vector<int64_t>;

TEST(Packed, KnowsWhereEverySequenceBeginsAndHowLongItIs) {
  const Packed rows({3, 1, 4});
  EXPECT_EQ(rows.rows(), 8);
  EXPECT_EQ(rows.sequences(), 3);
  EXPECT_EQ(rows.longest(), 4);
  EXPECT_EQ(rows.begin(0), 0);
  EXPECT_EQ(rows.begin(1), 3);
  EXPECT_EQ(rows.begin(2), 4);
  EXPECT_EQ(rows.begin(3), 8);
  EXPECT_EQ(rows.length(0), 3);
  EXPECT_EQ(rows.length(1), 1);
  EXPECT_EQ(rows.length(2), 4);
}

TEST(Packed, CountsPositionsFromZeroInEverySequence) {
  EXPECT_EQ(numbers(Packed({3, 1, 4}).positions({})), (Numbers{0, 1, 2, 0, 0, 1, 2, 3}));
}

TEST(Packed, FindsEveryRowInThePaddedLayout) {
  EXPECT_EQ(numbers(Packed({3, 1, 4}).padded_rows({})), (Numbers{0, 1, 2, 4, 8, 9, 10, 11}));
}

TEST(Packed, SaysWhichPlacesOfThePaddedLayoutAreTaken) {
  const at::Tensor occupied = Packed({3, 1, 4}).occupied({});
  EXPECT_EQ(occupied.scalar_type(), at::kBool);
  EXPECT_EQ(occupied.sizes(), (Numbers{3, 4}));
  EXPECT_EQ(numbers(occupied.to(at::kLong)), (Numbers{1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(Packed, PadsNothingInASingleSequence) {
  const Packed rows({5});
  EXPECT_EQ(numbers(rows.padded_rows({})), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_TRUE(rows.occupied({}).all().item<bool>());
}

TEST(Packed, CallsTheSequencesByNumberUnlessTheyHaveNames) {
  EXPECT_EQ(Packed({3, 1, 4}).samples(), (Numbers{0, 1, 2}));
  EXPECT_EQ(Packed({3, 1, 4}, {7, 5'000'000'000, 7}).samples(), (Numbers{7, 5'000'000'000, 7}));
}

TEST(Packed, WithoutSequencesIsEmpty) {
  for (const Packed& rows : {Packed(), Packed(std::vector<int64_t>{})}) {
    EXPECT_EQ(rows.rows(), 0);
    EXPECT_EQ(rows.sequences(), 0);
    EXPECT_EQ(rows.longest(), 0);
    EXPECT_EQ(rows.positions({}).numel(), 0);
  }
}

TEST(Packed, RefusesEmptySequencesAndMissingNames) {
  EXPECT_THROW(Packed({3, 0, 4}), c10::Error);
  EXPECT_THROW(Packed({3, -1}), c10::Error);
  EXPECT_THROW(Packed({3, 1, 4}, {7, 5}), c10::Error);
}

}  // namespace
}  // namespace plumb::ops
