#include "plumb/spm/spm_tokenizer.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include "plumb/base/error.h"
#include "plumb/spm/spm_trainer.h"
#include "plumb/text/line_reader.h"
#include "plumb/text/utf8.h"

#include "spm/support/lines.h"
#include "support/temporary_directory.h"

namespace plumb {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;

class SpmTokenizerTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  SpmTokenizer trained(const SpmOptions& options) {
    write_all(path("m.model"), train_spm(source_of(sample_lines()), options, "sample"));
    return SpmTokenizer(path("m.model"));
  }

  const TemporaryDirectory directory_;
};

const std::vector<SpmOptions> kKinds = {
    {.type = "bpe", .vocab_size = 700, .byte_fallback = true},
    {.type = "unigram", .vocab_size = 700, .byte_fallback = true},
    {.type = "bpe", .vocab_size = 700, .byte_fallback = true, .normalization = "identity"},
    {.type = "unigram", .vocab_size = 700, .byte_fallback = true, .normalization = "identity"},
};

TEST_F(SpmTokenizerTest, GivesTextBackWhateverItIs) {
  for (const SpmOptions& options : kKinds) {
    const SpmTokenizer tokenizer = trained(options);
    for (const std::string& line : odd_lines()) {
      const std::vector<int32_t> ids = tokenizer.encode(line);
      EXPECT_THAT(ids, Each(Ge(kSpecials))) << line;
      EXPECT_EQ(tokenizer.decode(ids), line) << options.type;
      EXPECT_EQ(tokenizer.join(tokenizer.pieces(line)), line) << options.type;
    }
  }
}

TEST_F(SpmTokenizerTest, NormalisesAsItSays) {
  const SpmTokenizer nfkc = trained(kKinds[0]);
  // What NFKC says, by hand: ligatures, full width, composed letters, spaces of every kind made one.
  const std::vector<std::pair<std::string, std::string>> cases = {{"ﬁne", "fine"},
                                                                  {"Ｆｕｌｌ　ｗｉｄｔｈ", "Full width"},
                                                                  {"e\u0301te\u0301", "été"},
                                                                  {"  two   spaces  ", "two spaces"},
                                                                  {"tab\there", "tab here"},
                                                                  {"a\u00A0b", "a b"},
                                                                  {"①²", "12"},
                                                                  {"zero\u200Bwidth", "zero width"}};
  for (const auto& [line, expected] : cases) EXPECT_EQ(nfkc.decode(nfkc.encode(line)), expected) << line;
  const SpmTokenizer identity = trained(kKinds[2]);
  for (const auto& [line, expected] : cases) EXPECT_EQ(identity.decode(identity.encode(line)), line);
}

TEST_F(SpmTokenizerTest, WithoutByteFallbackOtherCharactersAreUnknownAndStayVisible) {
  const SpmTokenizer tokenizer = trained({.vocab_size = 300});
  const std::vector<int32_t> ids = tokenizer.encode("the 漢 dog");
  EXPECT_THAT(ids, Contains(kUnk));
  EXPECT_THAT(tokenizer.decode(ids), AllOf(HasSubstr("the"), HasSubstr("⁇"), HasSubstr("dog")));
  EXPECT_EQ(tokenizer.join(tokenizer.pieces("the 漢 dog")), "the 漢 dog");
}

TEST_F(SpmTokenizerTest, TextCannotNameTheSpecialsAndDecodingLeavesThemOut) {
  const SpmTokenizer tokenizer = trained(kKinds[0]);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("<s> </s> <pad> <unk>")), "<s> </s> <pad> <unk>");
  std::vector<int32_t> ids = tokenizer.encode("the dog");
  ids.insert(ids.begin(), kBos);
  ids.insert(ids.begin() + 2, kPad);
  ids.push_back(kEos);
  EXPECT_EQ(tokenizer.decode(ids), "the dog");
  EXPECT_THROW(tokenizer.decode(std::vector<int32_t>{tokenizer.size()}), UserError);
  EXPECT_THROW(tokenizer.decode(std::vector<int32_t>{-1}), UserError);
}

TEST_F(SpmTokenizerTest, ADecodedLineIsOneLine) {
  const SpmTokenizer tokenizer = trained(kKinds[0]);
  const std::vector<std::string> tokens = tokenizer.vocabulary();
  const auto line_feed = static_cast<int32_t>(std::ranges::find(tokens, "<0x0A>") - tokens.begin());
  ASSERT_LT(line_feed, tokenizer.size());
  EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{line_feed, line_feed}).find('\n'), std::string::npos);
}

TEST_F(SpmTokenizerTest, BytesThatAreNotUtf8DoNoHarm) {
  for (const SpmOptions& options : kKinds) {
    const SpmTokenizer tokenizer = trained(options);
    for (const std::string& line : {std::string("\xFF\xFE"), std::string("a\0b", 3), std::string("\xE2\x82"),
                                    std::string("\xED\xA0\x80"), std::string(1000, '\x80')}) {
      EXPECT_EQ(find_invalid_utf8(tokenizer.decode(tokenizer.encode(line))), std::string::npos);
      EXPECT_EQ(find_invalid_utf8(tokenizer.join(tokenizer.pieces(line))), std::string::npos);
    }
  }
}

TEST_F(SpmTokenizerTest, ALongLineIsTheSameAsItsWordsOneAfterAnother) {
  for (const SpmOptions& options : kKinds) {
    const SpmTokenizer tokenizer = trained(options);
    std::string line;
    std::vector<int32_t> expected;
    for (size_t i = 0; line.size() < 100000; ++i) {
      const std::string& sentence = sample_lines()[i % sample_lines().size()];
      line += (line.empty() ? "" : " ") + sentence;
      for (const int32_t id : tokenizer.encode(sentence)) expected.push_back(id);
    }
    EXPECT_EQ(tokenizer.encode(line), expected);
    EXPECT_EQ(tokenizer.decode(expected), line);
    std::string pieces;
    for (const std::string& piece : tokenizer.pieces(line)) pieces += piece;
    EXPECT_EQ(pieces.size(), line.size() + 2 * static_cast<size_t>(std::ranges::count(line, ' ')) + 3);
  }
}

TEST_F(SpmTokenizerTest, AMegabyteWithoutASpaceWorks) {
  const SpmTokenizer tokenizer = trained({.type = "unigram", .vocab_size = 300});
  std::string line;
  while (line.size() < (1 << 20)) line += "thequickbrownfox";
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(line)), line);
}

// Runs longer and shorter than the parts in which a line is handled, against SentencePiece in one go.
TEST_F(SpmTokenizerTest, LongRunsOfUnknownCharactersAreWhatSentencePieceMakesOfThem) {
  std::string line = "the ";
  for (const size_t length : {100, 30000, 7, 9000, 16400}) {
    for (size_t i = 0; i < length; ++i) line += i % 3 == 0 ? "漢" : i % 3 == 1 ? "Ж" : "字";
    line += "dog";
  }
  for (const std::string type : {"bpe", "unigram"}) {
    const SpmTokenizer tokenizer = trained({.type = type, .vocab_size = 300});
    sentencepiece::SentencePieceProcessor whole;
    ASSERT_TRUE(whole.Load(path("m.model")).ok());
    const std::vector<int32_t> ids = tokenizer.encode(line);
    EXPECT_EQ(ids, whole.EncodeAsIds(line)) << type;
    EXPECT_EQ(std::ranges::count(ids, kUnk), 5) << type;
    EXPECT_EQ(tokenizer.pieces(line), whole.EncodeAsPieces(line)) << type;
  }
}

TEST_F(SpmTokenizerTest, MegabytesOfUnknownCharactersDoNotTakeTheSquareOfTheirLength) {
  const SpmTokenizer tokenizer = trained({.vocab_size = 300});
  std::string line;
  while (line.size() < (4 << 20)) line += "漢";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(tokenizer.encode(line).size(), 2u);  // the mark of a space, and one unknown token
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 60);  // a second or two; in one go it is minutes
}

TEST_F(SpmTokenizerTest, ReordersAModelWithSentencePiecesOwnIds) {
  // unk 0, bos 1, eos 2 and no pad: what spm_train makes by default, and what fairseq users have.
  std::string text;
  for (const std::string& line : sample_lines()) text += line + "\n";
  write_all(path("text"), text);
  ASSERT_TRUE(sentencepiece::SentencePieceTrainer::Train({{"input", path("text")},
                                                          {"model_prefix", path("own")},
                                                          {"vocab_size", "300"},
                                                          {"hard_vocab_limit", "false"},
                                                          {"minloglevel", "3"}})
                  .ok());
  sentencepiece::SentencePieceProcessor own;
  ASSERT_TRUE(own.Load(path("own.model")).ok());
  const SpmTokenizer tokenizer(path("own.model"));
  EXPECT_EQ(tokenizer.size(), own.GetPieceSize() + 1);
  EXPECT_EQ(tokenizer.vocabulary()[kPad], "<pad>");
  // fairseq's way: the pieces behind the three specials, counted from 4.
  const std::vector<int> theirs = own.EncodeAsIds("the quick brown fox");
  std::vector<int32_t> shifted;
  for (const int id : theirs) shifted.push_back(id + 1);
  EXPECT_EQ(tokenizer.encode("the quick brown fox"), shifted);
  EXPECT_EQ(tokenizer.decode(shifted), "the quick brown fox");
  EXPECT_THAT(tokenizer.encode("漢"), Contains(kUnk));
}

TEST_F(SpmTokenizerTest, WritesItsVocabularyAsFairseqDoes) {
  const SpmTokenizer tokenizer = trained({.vocab_size = 300});
  std::ofstream(path("dict.txt")) << fairseq_dictionary(tokenizer);
  LineReader reader(path("dict.txt"));
  const std::vector<std::string> tokens = tokenizer.vocabulary();
  EXPECT_THAT(std::vector<std::string>(tokens.begin(), tokens.begin() + 4),
              ElementsAre("<s>", "<pad>", "</s>", "<unk>"));
  size_t id = kSpecials;
  for (std::string line; reader.next(line); ++id) EXPECT_EQ(line, tokens.at(id) + " 1");
  EXPECT_EQ(id, tokens.size());
}

TEST_F(SpmTokenizerTest, SaysThatAFileIsNoModel) {
  for (const std::string& content :
       {std::string(), std::string("this is a text file\n"), std::string(1000, '\0'), std::string(1000, '\xFF')}) {
    write_all(path("bad.model"), content);
    EXPECT_THROW(SpmTokenizer{path("bad.model")}, DamagedFile) << content.substr(0, 10);
  }
  EXPECT_THROW(SpmTokenizer{path("absent.model")}, UserError);
  EXPECT_THROW(SpmTokenizer{directory_.path().string()}, UserError);
}

TEST_F(SpmTokenizerTest, ACutModelIsDamaged) {
  trained({.vocab_size = 300});
  const std::string whole = read_all(path("m.model"));
  for (size_t length = 1; length < whole.size(); length = length * 5 / 4 + 1) {
    write_all(path("cut.model"), whole.substr(0, length));
    EXPECT_THROW(SpmTokenizer{path("cut.model")}, DamagedFile) << length << " of " << whole.size();
  }
}

TEST_F(SpmTokenizerTest, GivesEveryCaptionOfMulti30kBack) {
  const char* set = std::getenv("PLUMB_DATA");
  const std::filesystem::path data =
      (set ? std::filesystem::path(set) : std::filesystem::path(PLUMB_SOURCE_DIR) / "../shared/data") / "multi30k";
  if (!std::filesystem::exists(data / "val.de")) GTEST_SKIP() << "there is no " << data << "; set PLUMB_DATA";
  const std::vector<std::string> files = {data / "val.de", data / "val.en"};
  for (const SpmOptions& kind : {kKinds[2], kKinds[3]}) {
    SpmOptions options = kind;
    options.vocab_size = 2000;
    train_spm_file(files, options, path("val.model"));
    const SpmTokenizer tokenizer(path("val.model"));
    EXPECT_EQ(tokenizer.size(), 2000);
    const LineSource next = lines_of({data / "test_2016_flickr.de", data / "val.en"});
    for (std::string line; next(line);) ASSERT_EQ(tokenizer.decode(tokenizer.encode(line)), line);
  }
}

}  // namespace
}  // namespace plumb
