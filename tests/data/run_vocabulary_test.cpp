#include "plumb/data/run_vocabulary.h"

#include <fstream>

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

class RunVocabularyTest : public ::testing::Test {
 protected:
  RunVocabularyTest() : folder_(fs::path(::testing::TempDir()) / "run_vocabulary") { fs::create_directories(run()); }
  ~RunVocabularyTest() override { fs::remove_all(folder_); }

  fs::path run() const { return folder_ / "run"; }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  static std::string text_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
};

TEST_F(RunVocabularyTest, OutlivesTheCache) {
  Prepared data;
  data.source_tokenizer.model = file("a.model", "one");
  data.target_tokenizer = {.model = "", .codes = file("codes", "two"), .dict = file("dict", "three")};
  keep_vocabulary(run(), data);
  for (const char* gone : {"a.model", "codes", "dict"}) fs::remove(folder_ / gone);
  const RunVocabulary kept = vocabulary_of(run());
  EXPECT_EQ(text_of(kept.source.model), "one");
  EXPECT_TRUE(kept.source.dict.empty());
  EXPECT_TRUE(kept.target.model.empty());
  EXPECT_EQ(text_of(kept.target.codes), "two");
  EXPECT_EQ(text_of(kept.target.dict), "three");
}

TEST_F(RunVocabularyTest, ARunWithoutOneIsDamaged) {
  EXPECT_THROW(vocabulary_of(run()), DamagedFile);
}

}  // namespace
}  // namespace plumb
