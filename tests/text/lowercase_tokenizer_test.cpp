#include "plumb/text/lowercase_tokenizer.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/text/character_tokenizer.h"
#include "plumb/text/word_tokenizer.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LowercaseTokenizerTest : public testing::Test {
 protected:
  std::string dictionary(const std::string& name, std::string_view content) const {
    write_all(directory_ / name, content);
    return (directory_ / name).string();
  }

  const TemporaryDirectory directory_;
  const std::string dict_ = dictionary("dict.txt", "the 9\nété 8\nThe 7\n中文 6\n");
  const WordTokenizer plain_{dict_};
  const LowercaseTokenizer lower_{std::make_unique<WordTokenizer>(dict_)};
};

TEST_F(LowercaseTokenizerTest, SeesLowerCaseOnly) {
  EXPECT_THAT(plain_.encode("The ÉTÉ"), ElementsAre(6, kUnk));
  EXPECT_THAT(lower_.encode("The ÉTÉ THE 中文"), ElementsAre(4, 5, 4, 7));
  EXPECT_THAT(lower_.pieces("The DOG"), ElementsAre("the", "dog"));
  EXPECT_EQ(lower_.join(lower_.pieces("The DOG")), "the dog");
  EXPECT_EQ(lower_.decode(lower_.encode("THE été")), "the été");
  EXPECT_EQ(lower_.decode(std::vector<int32_t>{6}), "The") << "only text is lower-cased, not ids";
}

TEST_F(LowercaseTokenizerTest, EncodesManyLinesAsItDoesOne) {
  const std::vector<std::string> lines = {"THE", "", "ÉtÉ the", "\xFFThe"};
  const auto together = lower_.encode_lines(lines);
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(together[i], lower_.encode(lines[i])) << i;
  EXPECT_THAT(lower_.decode_lines(together), ElementsAre("the", "", "été the", "<unk>"));
}

TEST_F(LowercaseTokenizerTest, CapitalsCannotEndASentence) {
  EXPECT_THAT(lower_.encode("</S> <PAD> <S> <UNK>"), ElementsAre(kUnk, kUnk, kUnk, kUnk));
  EXPECT_THAT(lower_.encode(""), IsEmpty());
}

TEST_F(LowercaseTokenizerTest, HasTheVocabularyOfTheOtherAndAFingerprintOfItsOwn) {
  EXPECT_EQ(lower_.size(), plain_.size());
  EXPECT_EQ(lower_.vocabulary(), plain_.vocabulary());
  EXPECT_EQ(lower_.fingerprint().size(), 64u);
  EXPECT_NE(lower_.fingerprint(), plain_.fingerprint());
  EXPECT_EQ(lower_.fingerprint(), LowercaseTokenizer(std::make_unique<WordTokenizer>(dict_)).fingerprint());
  auto letters = std::make_unique<CharacterTokenizer>(dictionary("letters.txt", "a 1\n"));
  EXPECT_NE(lower_.fingerprint(), LowercaseTokenizer(std::move(letters)).fingerprint());
}

TEST_F(LowercaseTokenizerTest, TakesALineOfAMegabyte) {
  std::string line;
  for (int i = 0; i < 1 << 18; ++i) line += "THE ";
  EXPECT_EQ(lower_.encode(line), std::vector<int32_t>(1 << 18, 4));
}

}  // namespace
}  // namespace plumb
