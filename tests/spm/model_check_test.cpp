#include "plumb/spm/model_check.h"

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/base/random_stream.h"
#include "plumb/process/own_process.h"
#include "plumb/spm/spm_tokenizer.h"
#include "plumb/spm/spm_trainer.h"

#include "spm/support/lines.h"
#include "support/temporary_directory.h"

namespace plumb {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string model(const SpmOptions& options) {
  return train_spm(source_of(sample_lines()), options, "sample");
}

// The table of the normaliser is by far the longest field: its key (0x12), a length of three bytes, and then the size
// of its trie, which is a multiple of a block.
struct Table {
  size_t begin = 0;
  uint32_t trie = 0;
};
Table table_of(const std::string& bytes) {
  for (size_t at = bytes.find('\x12'); at + 8 < bytes.size(); at = bytes.find('\x12', at + 1)) {
    Table table{at + 4, 0};
    std::memcpy(&table.trie, bytes.data() + table.begin, sizeof table.trie);
    const bool long_field = (bytes[at + 1] & bytes[at + 2] & 0x80) != 0;
    if (long_field && table.trie % 1024 == 0 && table.trie > 50'000 && table.trie < 400'000) return table;
  }
  return {};
}

void put(std::string& bytes, size_t at, uint32_t number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

TEST(SpmModelCheck, FindsNothingInRealModels) {
  for (const char* normalization : {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"}) {
    for (const char* type : {"bpe", "unigram"}) {
      const SpmOptions options{.type = type, .vocab_size = 300, .normalization = normalization};
      EXPECT_THAT(spm_model_problem(model(options)), IsEmpty()) << type << ' ' << normalization;
    }
  }
}

TEST(SpmModelCheck, RefusesATableThatLeadsOutOfItself) {
  const std::string whole = model({.vocab_size = 300});
  const Table table = table_of(whole);
  ASSERT_GT(table.trie, 0u);
  for (const uint32_t size : {0u, 1u, 4u, 1024u, table.trie - 4, table.trie + 1, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    std::string bytes = whole;
    put(bytes, table.begin, size);
    EXPECT_THAT(spm_model_problem(bytes), HasSubstr("table of characters")) << size;
  }
  const size_t trie = table.begin + 4;
  for (const uint32_t unit : {0x7FFFFC00u, 0x7FFFFE00u, 0xFFFFFFFFu}) {  // offsets beyond the end, a value at the root
    std::string bytes = whole;
    put(bytes, trie, unit);
    EXPECT_THAT(spm_model_problem(bytes), HasSubstr("table of characters")) << unit;
  }
}

// libsentencepiece 0.1.97 dies of about one in twenty of these if it is given them as they are.
TEST(SpmModelCheck, NoMutantOfAModelTakesTheProcessDown) {
  const TemporaryDirectory directory;
  const std::string path = (directory / "mutant.model").string();
  const std::array<std::string, 2> models = {model({.type = "bpe", .vocab_size = 700, .byte_fallback = true}),
                                             model({.type = "unigram", .vocab_size = 300})};
  const std::array<Table, 2> tables = {table_of(models[0]), table_of(models[1])};
  RandomStream random(18, "test.mutants");
  int refused = 0;
  constexpr int kMutants = 300;
  for (int i = 0; i < kMutants; ++i) {
    const size_t which = random.below(2);
    std::string bytes = models[which];
    const Table& table = tables[which];
    // A third anywhere, a third in the pieces and options, a third at the table's size and its first units.
    const auto place = [&] {
      switch (i % 3) {
        case 0:
          return random.below(bytes.size());
        case 1:
          return random.below(table.begin);
        default:
          return table.begin + random.below(64);
      }
    };
    for (uint64_t flips = 1 + random.below(4); flips > 0; --flips) {
      bytes[place()] = static_cast<char>(random.below(256));
    }
    write_all(path, bytes);
    const WorkResult result = in_own_process([&](std::string& outcome) {
      try {
        const SpmTokenizer tokenizer(path);
        for (const std::string& line : odd_lines()) {
          (void)tokenizer.decode(tokenizer.encode(line));
          (void)tokenizer.join(tokenizer.pieces(line));
        }
        outcome = "used";
      } catch (const DamagedFile&) {
        outcome = "refused";
      }
      return true;
    });
    EXPECT_TRUE(result.succeeded) << "mutant " << i << ": " << result.bytes;
    if (result.bytes == "refused") ++refused;
  }
  EXPECT_GT(refused, kMutants / 10);
}

}  // namespace
}  // namespace plumb
