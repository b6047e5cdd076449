#include "plumb/checkpoint/load_model.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"

#include "checkpoint/small_model.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

class LoadModel : public ::testing::Test {
 protected:
  LoadModel() {
    for (const double update : {1, 2, 6}) Small(update, 0).save(checkpoints_, static_cast<int64_t>(update));
  }
  fs::path file(int64_t update) const { return checkpoints_.model_file(update); }
  double loaded(const fs::path& from) const {
    Small model(0, 0);
    load_model(model.store, from);
    return model.store.value("w")[0].item<double>();
  }

  const TemporaryDirectory run_;
  const Checkpoints checkpoints_{run_.path()};
};

TEST_F(LoadModel, VerifiesEveryByteOfACheckpoint) {
  EXPECT_EQ(loaded(file(2)), 2);
  const std::string whole = read_all(file(2));
  for (const bool older : {false, true}) {
    if (older) make_older(checkpoints_.folder(2));
    for (size_t i = 0; i < whole.size(); ++i) {
      std::string flipped = whole;
      flipped[i] ^= 16;
      write_all(file(2), flipped);
      EXPECT_THROW(loaded(file(2)), Error) << i;  // a name in the header is the user's to explain
      if (i % 10 != 0) continue;
      Small model(0, 0);
      EXPECT_THROW(load_matching_model(model.store, file(2)), Error) << i;
      EXPECT_THROW(load_average(model.store, {file(1), file(2)}), Error) << i;
    }
    write_all(file(2), whole);
    EXPECT_EQ(loaded(file(2)), 2);
  }
}

TEST_F(LoadModel, RefusesTheWeightsOfAnotherCheckpoint) {
  fs::copy_file(file(1), file(2), fs::copy_options::overwrite_existing);
  try {
    loaded(file(2));
    FAIL() << "swapped";
  } catch (const DamagedFile& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("checkpoints/2/model.safetensors: does not match its checksum"));
  }
}

TEST_F(LoadModel, NeedsTheStateOfACheckpointAndNoneOfAnotherFile) {
  fs::copy_file(file(2), run_ / "elsewhere.safetensors");
  EXPECT_EQ(loaded(run_ / "elsewhere.safetensors"), 2);
  fs::remove(checkpoints_.folder(2) / "state.json");
  EXPECT_THROW(loaded(file(2)), DamagedFile);
  fs::copy(checkpoints_.folder(6), run_ / "a copy");
  EXPECT_EQ(loaded(run_ / "a copy/model.safetensors"), 6);
  flip(run_ / "a copy/model.safetensors");
  EXPECT_THROW(loaded(run_ / "a copy/model.safetensors"), DamagedFile);
}

TEST_F(LoadModel, RefusesWeightsThatAreNotFinite) {
  const Small model(1, 0);
  model.store.value("w")[2] = HUGE_VAL;
  model.save(checkpoints_, 7);
  EXPECT_THROW(loaded(file(7)), DamagedFile);
}

TEST_F(LoadModel, AveragesCheckpoints) {
  Small average(0, 0);
  load_average(average.store, {file(1), file(2), file(6)});
  EXPECT_TRUE(at::equal(average.store.value("w"), at::full({5}, 3.0f)));
}

}  // namespace
}  // namespace plumb
