#include "plumb/runs/checkpoint_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "plumb/base/error.h"
#include "plumb/base/sha256.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

CheckpointState example() {
  return {.position = {.update = 40,
                       .epoch = 2,
                       .batch = 3,
                       .tokens = 5000,
                       .best_loss = 1.25,
                       .best_update = 30,
                       .bad_validations = 1},
          .optimiser_steps = 39,
          .files = {{"model.safetensors", {"aa", "bb"}}},
          .guard = {{"mean", 2.5}, {"first", nullptr}},
          .config = "seed = 1\n",
          .threads = 2,
          .data = "fingerprint",
          .contents = {{"source vocabulary", {{"sha256", "cc"}, {"count", 7}}}},
          .prepared = "{}"};
}

/// As an older version wrote it: without checksums of itself and quick ones of the files.
json older() {
  json state = json::parse(to_text(example()));
  state.erase("checksum");
  state.erase("xxh64");
  return state;
}

TEST(CheckpointState, ComesBackAsItWasWritten) {
  const CheckpointState state = checkpoint_state_of(to_text(example()), "x");
  EXPECT_EQ(to_text(state), to_text(example()));
  EXPECT_EQ(state.position.batch, 3);
  EXPECT_EQ(state.position.best_loss, 1.25);
  EXPECT_EQ(state.files.at("model.safetensors"), (FileSums{"aa", "bb"}));
  EXPECT_TRUE(state.has_checksum);
}

TEST(CheckpointState, OfAnOlderVersionIsRead) {
  const CheckpointState state = checkpoint_state_of(older().dump(), "x");
  EXPECT_FALSE(state.has_checksum);
  EXPECT_EQ(state.files.at("model.safetensors"), (FileSums{"aa", ""}));
  EXPECT_EQ(state.optimiser_steps, 39);
  json first = older();  // before contents and prepared were kept
  first.erase("contents");
  first.erase("prepared");
  EXPECT_TRUE(checkpoint_state_of(first.dump(), "x").contents.empty());
}

TEST(CheckpointState, OfAnOlderVersionMayCallAValidationBestThatWasNotFinite) {
  json state = older();
  state["position"]["best_loss"] = nullptr;
  EXPECT_EQ(checkpoint_state_of(state.dump(), "x").position.best_update, -1);
}

// Every single bit: it changes nothing that is read, or it is noticed.
TEST(CheckpointState, NoticesEveryFlippedBit) {
  const std::string whole = to_text(example());
  size_t noticed = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      try {
        EXPECT_EQ(to_text(checkpoint_state_of(flipped, "x")), whole) << i << ' ' << bit;
      } catch (const DamagedFile&) {
        ++noticed;
      }
    }
  }
  EXPECT_GT(noticed, 7 * whole.size());  // what is left is white space
}

TEST(CheckpointState, CutShortIsDamaged) {
  const std::string whole = to_text(example());
  for (size_t length = 0; length + 1 < whole.size(); ++length) {
    EXPECT_THROW(checkpoint_state_of(whole.substr(0, length), "x"), DamagedFile) << length;
  }
}

TEST(CheckpointState, WithoutAChecksumIsCheckedByTypesAndRanges) {
  const json wrong[] = {nullptr, true, "text", -2, 1e300, 1.5, json::array(), json::object(), 18446744073709551615u};
  for (const char* key :
       {"/version", "/update", "/optimiser_steps", "/threads", "/position", "/position/update", "/position/epoch",
        "/position/batch", "/position/tokens", "/position/best_update", "/position/bad_validations"}) {
    for (const json& value : wrong) {
      json state = older();
      state[json::json_pointer(key)] = value;
      EXPECT_THROW(checkpoint_state_of(state.dump(), "x"), DamagedFile) << key << ' ' << value;
    }
    json state = older();
    const json::json_pointer pointer(key);
    state[pointer.parent_pointer()].erase(pointer.back());
    EXPECT_THROW(checkpoint_state_of(state.dump(), "x"), DamagedFile) << key;
  }
  for (const char* key : {"/config", "/data", "/prepared", "/files", "/files/model.safetensors", "/guard", "/contents",
                          "/contents/source vocabulary", "/position/best_loss"}) {
    json state = older();
    state[json::json_pointer(key)] = true;
    EXPECT_THROW(checkpoint_state_of(state.dump(), "x"), DamagedFile) << key;
  }
}

TEST(CheckpointState, NamesWhatIsWrong) {
  json state = older();
  state["position"]["batch"] = -1;
  try {
    checkpoint_state_of(state.dump(), "run/state.json");
    FAIL();
  } catch (const DamagedFile& error) {
    EXPECT_THAT(error.what(), HasSubstr("run/state.json: position.batch cannot be -1"));
  }
  state = older();
  state["version"] = 2;
  try {
    checkpoint_state_of(state.dump(), "x");
    FAIL();
  } catch (const DamagedFile& error) {
    EXPECT_THAT(error.what(), HasSubstr("format version 2"));
  }
}

TEST(CheckpointState, OfANewerVersionIsNotTakenForDamage) {
  json state = older();
  state["version"] = 2;
  state["checksum"] = sha256_hex(state.dump(1));
  EXPECT_THROW(checkpoint_state_of(state.dump(), "x"), UserError);
  state["checksum"] = sha256_hex("something else");
  EXPECT_THROW(checkpoint_state_of(state.dump(), "x"), DamagedFile);
}

TEST(CheckpointState, MayNotNestWithoutEnd) {
  const std::string deep(1'000'000, '[');
  EXPECT_THROW(checkpoint_state_of(deep, "x"), DamagedFile);
  json state = older();
  const std::string text = state.dump();
  std::string nested =
      text.substr(0, text.size() - 1) + ",\"extra\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_THROW(checkpoint_state_of(nested, "x"), DamagedFile);
}

class StateFile : public ::testing::Test {
 protected:
  StateFile() { std::filesystem::create_directories(folder()); }
  std::filesystem::path folder(const std::string& name = "40") const { return run_ / name; }
  TemporaryDirectory run_;
};

TEST_F(StateFile, IsOfTheUpdateThatItsFolderIsNamedAfter) {
  write_all(folder() / "state.json", to_text(example()));
  EXPECT_EQ(read_checkpoint_state(folder()).position.update, 40);
  std::filesystem::rename(folder(), folder("50"));
  EXPECT_THROW(read_checkpoint_state(folder("50")), DamagedFile);
  std::filesystem::rename(folder("50"), folder("a copy"));
  EXPECT_EQ(read_checkpoint_state(folder("a copy")).position.update, 40);
}

TEST_F(StateFile, ThatIsNoFileIsDamaged) {
  const std::filesystem::path file = folder() / "state.json";
  EXPECT_THROW(read_checkpoint_state(folder()), DamagedFile);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_THROW(read_checkpoint_state(folder()), DamagedFile);
  std::filesystem::remove(file);
  std::filesystem::create_symlink("/dev/zero", file);
  EXPECT_THROW(read_checkpoint_state(folder()), DamagedFile);
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  EXPECT_THROW(read_checkpoint_state(folder()), DamagedFile);
}

}  // namespace
}  // namespace plumb
