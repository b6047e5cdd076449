#include "plumb/data/table.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TableTest : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    const std::string path = (folder_ / "table.tsv").string();
    write_whole(path, text);
    return path;
  }
  std::string problem(const std::string& text, const TableQuery& query) {
    try {
      read_table(file(text), query);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryDirectory folder_;
};

TEST_F(TableTest, TakesColumnsInTheOrderThatIsAsked) {
  const auto rows = read_table(file("1\tred\tblue\n0\ta b\t\"c\n"), {{3, 1}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_THAT(rows[0].cells, ElementsAre("blue", "1"));
  EXPECT_THAT(rows[1].cells, ElementsAre("\"c", "0"));  // no quoting
  EXPECT_THAT(rows[1].where, HasSubstr("table.tsv:2"));
}

TEST_F(TableTest, TakesTheLinesOfOneSplit) {
  const auto rows = read_table(file("train\ta\ntest\tb\ntrain\tc\n"), {{2}, 1, "train"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].cells[0], "c");
  EXPECT_THAT(rows[1].where, HasSubstr(":3"));
}

TEST_F(TableTest, NamesTheLineOfAMissingColumnOrAnEmptyCell) {
  EXPECT_THAT(problem("1\ta\tb\n0\ta\n", {{1, 3}}), HasSubstr("table.tsv:2: has 2 columns, but column 3 is wanted"));
  EXPECT_THAT(problem("1\t\tb\n", {{2}}), HasSubstr("table.tsv:1: column 2 is empty"));
  EXPECT_THAT(problem("", {{1}}), HasSubstr("has no lines"));
  EXPECT_THAT(problem("train\ta\n", {{2}, 1, "valid"}), HasSubstr("no line has 'valid' in column 1"));
}

}  // namespace
}  // namespace plumb
