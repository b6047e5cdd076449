#include "plumb/spm/spm_trainer.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>
#include <zlib.h>

#include "plumb/base/error.h"
#include "plumb/spm/spm_tokenizer.h"

#include "spm/support/lines.h"
#include "support/temporary_directory.h"

namespace plumb {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string train(const std::vector<std::string>& lines, const SpmOptions& options) {
  return train_spm(source_of(lines), options, "lines");
}

std::string problem(const std::vector<std::string>& lines, const SpmOptions& options) {
  try {
    train(lines, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

std::string joined(const std::vector<std::string>& lines, const std::string& end = "\n") {
  std::string text;
  for (const std::string& line : lines) text += line + end;
  return text;
}

TEST(SpmTrainer, TheSameTextGivesTheSameBytes) {
  for (const std::string type : {"bpe", "unigram"}) {
    const SpmOptions options{.type = type, .vocab_size = 300, .input_sentence_size = 200};
    const std::string model = train(sample_lines(), options);
    EXPECT_EQ(train(sample_lines(), options), model) << type;
    SpmOptions other = options;
    other.seed = 2;
    EXPECT_NE(train(sample_lines(), other), model) << type;
  }
}

TEST(SpmTrainer, OrdersTheSpecialsAsFairseqDoes) {
  for (const std::string type : {"bpe", "unigram"}) {
    const std::string model = train(sample_lines(), {.type = type, .vocab_size = 300});
    sentencepiece::SentencePieceProcessor processor;
    ASSERT_TRUE(processor.LoadFromSerializedProto(model).ok());
    EXPECT_EQ(processor.bos_id(), 0);
    EXPECT_EQ(processor.pad_id(), 1);
    EXPECT_EQ(processor.eos_id(), 2);
    EXPECT_EQ(processor.unk_id(), 3);
    EXPECT_GT(processor.GetPieceSize(), 70);
  }
}

TEST(SpmTrainer, ASmallTextGivesASmallVocabulary) {
  for (const std::string type : {"bpe", "unigram"}) {
    const std::string model = train({"hello"}, {.type = type, .vocab_size = 8000});
    sentencepiece::SentencePieceProcessor processor;
    ASSERT_TRUE(processor.LoadFromSerializedProto(model).ok()) << type;
    EXPECT_LT(processor.GetPieceSize(), 30);
    EXPECT_EQ(processor.DecodeIds(processor.EncodeAsIds("hello")), "hello");
  }
}

TEST(SpmTrainer, CountsLongLinesAndLinesWithTabsToo) {
  // SentencePiece alone would leave both out, and with them the letters that occur only there.
  std::string longest;
  while (longest.size() < 20000) longest += "walrus ";
  const std::string model =
      train({"a b", longest, "tab\tzebra", std::string(10000, 'q')}, {.vocab_size = 300, .character_coverage = 1.0});
  sentencepiece::SentencePieceProcessor processor;
  ASSERT_TRUE(processor.LoadFromSerializedProto(model).ok());
  for (const int id : processor.EncodeAsIds("walrus zebra q")) EXPECT_FALSE(processor.IsUnknown(id));
}

TEST(SpmTrainer, SaysHowLargeTheVocabularyMustBe) {
  EXPECT_THAT(problem(sample_lines(), {.vocab_size = 20}),
              AllOf(HasSubstr("vocab-size: 20 is too small: the characters alone need"), HasSubstr("Use at least")));
  EXPECT_THAT(problem(sample_lines(), {.vocab_size = 100, .byte_fallback = true}), HasSubstr("The least is 261"));
  EXPECT_THAT(problem(sample_lines(), {.vocab_size = -5}), HasSubstr("too small"));
}

TEST(SpmTrainer, NamesAWrongOption) {
  EXPECT_THAT(problem(sample_lines(), {.type = "word2vec"}), HasSubstr("Use bpe or unigram"));
  EXPECT_THAT(problem(sample_lines(), {.normalization = "nfd"}), HasSubstr("there is no normalization nfd"));
  EXPECT_THAT(problem(sample_lines(), {.character_coverage = 0.5}), HasSubstr("0.98"));
  EXPECT_THAT(problem(sample_lines(), {.character_coverage = 0.0 / 0.0}), HasSubstr("0.98"));
  EXPECT_THAT(problem(sample_lines(), {.input_sentence_size = -1}), HasSubstr("negative"));
}

TEST(SpmTrainer, TextWithoutTextIsSaidInOneLine) {
  for (const std::string type : {"bpe", "unigram"}) {
    EXPECT_THAT(problem({}, {.type = type}), HasSubstr("no text")) << type;
    EXPECT_THAT(problem({"", "  ", "\t"}, {.type = type}), HasSubstr("no text")) << type;
  }
  // Only characters that the normalisation removes: here SentencePiece ends its process.
  EXPECT_THAT(problem({"\u200B\u200B", "\u0001"}, {.type = "unigram"}), HasSubstr("lines: SentencePiece cannot train"));
}

TEST(SpmTrainer, ReadsFilesPlainAndPacked) {
  const TemporaryDirectory directory;
  const std::vector<std::string> lines = sample_lines(), first(lines.begin(), lines.begin() + 100),
                                 second(lines.begin() + 100, lines.end());
  write_all(directory / "a", joined(first, "\r\n"));
  gzFile out = ::gzopen((directory / "b").c_str(), "wb");
  const std::string text = joined(second);
  ::gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  ::gzclose(out);
  const SpmOptions options{.vocab_size = 300};
  train_spm_file({directory / "a", directory / "b"}, options, directory / "m.model");
  EXPECT_EQ(read_all(directory / "m.model"), train(lines, options));
  EXPECT_THROW(train_spm_file({directory / "none"}, options, directory / "n.model"), UserError);
  EXPECT_FALSE(std::filesystem::exists(directory / "n.model"));
  EXPECT_THROW(train_spm_file({directory / "a"}, options, directory / "no" / "n.model"), DiskError);
}

TEST(SpmTrainer, TakesAModelFromTheCacheIfTextAndOptionsAreTheSame) {
  const TemporaryDirectory directory;
  const auto cache = directory / "cache" / "deep";
  write_all(directory / "a", joined(sample_lines()));
  write_all(directory / "copy", joined(sample_lines()));
  const SpmOptions options{.vocab_size = 300};
  const auto model = cached_model(cache, {directory / "a"}, options);
  EXPECT_EQ(SpmTokenizer(model).size(), 300);
  const auto written = std::filesystem::last_write_time(model);
  EXPECT_EQ(cached_model(cache, {directory / "copy"}, options), model);
  EXPECT_EQ(std::filesystem::last_write_time(model), written);
  EXPECT_NE(cached_model(cache, {directory / "a"}, {.vocab_size = 301}), model);
  EXPECT_NE(cached_model(cache, {directory / "a", directory / "a"}, options), model);
  write_all(directory / "a", joined(sample_lines()) + "more\n");
  EXPECT_NE(cached_model(cache, {directory / "a"}, options), model);
}

}  // namespace
}  // namespace plumb
