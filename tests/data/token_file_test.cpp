#include "plumb/data/token_file.h"

#include <fstream>

#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/base/sha256.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

const std::string kFingerprint = sha256_hex("inputs");

std::filesystem::path written(const TemporaryDirectory& folder) {
  TokenFileWriter writer;
  writer.add(std::vector<int32_t>{4, 5, 6});
  writer.add({});
  writer.add(std::vector<int32_t>{7});
  const std::filesystem::path path = folder.path() / "corpus.tokens";
  writer.write(path, kFingerprint);
  return path;
}

TEST(TokenFile, GivesBackWhatWasWritten) {
  const TemporaryDirectory folder;
  const TokenFile file(written(folder));
  ASSERT_EQ(file.sentences(), 3);
  EXPECT_EQ(file.tokens(), 4);
  EXPECT_EQ(file.fingerprint(), kFingerprint);
  EXPECT_EQ(std::vector<int32_t>(file[0].begin(), file[0].end()), (std::vector<int32_t>{4, 5, 6}));
  EXPECT_TRUE(file[1].empty());
  EXPECT_EQ(file[2][0], 7);
}

TEST(TokenFile, ThatIsTruncatedOrChangedIsNotUsed) {
  const TemporaryDirectory folder;
  const std::filesystem::path path = written(folder);
  const std::string whole = read_all(path);
  for (size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, length);
    EXPECT_THROW(TokenFile{path}, DamagedFile) << length;
    EXPECT_FALSE(is_cached(path, kFingerprint));
  }
  for (size_t place = 0; place < whole.size(); ++place) {
    const bool names_inputs = place >= 24 && place < 24 + 64;  // the fingerprint is compared, not checked
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 0x41);
    std::ofstream(path, std::ios::binary) << changed;
    if (!names_inputs) {
      EXPECT_THROW(TokenFile{path}, DamagedFile) << place;
    }
    EXPECT_FALSE(is_cached(path, kFingerprint)) << place;
  }
}

TEST(TokenFile, OfOtherInputsIsNotCached) {
  const TemporaryDirectory folder;
  const std::filesystem::path path = written(folder);
  EXPECT_TRUE(is_cached(path, kFingerprint));
  EXPECT_FALSE(is_cached(path, sha256_hex("other inputs")));
  EXPECT_FALSE(is_cached(folder.path() / "absent", kFingerprint));
}

TEST(TokenFile, CanBeMoved) {
  const TemporaryDirectory folder;
  TokenFile first(written(folder));
  const TokenFile second(std::move(first));
  EXPECT_EQ(second[0][2], 6);
}

}  // namespace
}  // namespace plumb
