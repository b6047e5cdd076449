#include "plumb/base/table.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace plumb {
namespace {

using Align = Table::Align;

TEST(Table, AlignsColumnsLeftAndRight) {
  Table table({{"name"}, {"loss", Align::Right}, {"paper"}});
  table.add_row({"post_ln", "5.25", "Vaswani 2017"});
  table.add_row({"b2t", "12.5", ""});
  EXPECT_EQ(table.to_string(),
            "name     loss  paper\n"
            "post_ln  5.25  Vaswani 2017\n"
            "b2t      12.5\n");
}

TEST(Table, WrapsTheLastColumnUnderItself) {
  Table table({{"key"}, {"meaning"}});
  table.add_row({"warmup", "updates until the learning rate has reached its peak"});
  EXPECT_EQ(table.to_string(30),
            "key     meaning\n"
            "warmup  updates until the\n"
            "        learning rate has\n"
            "        reached its peak\n");
}

TEST(Table, NeverExceedsTheWidthUnlessAWordDoes) {
  Table table({{"a"}, {"b"}});
  table.add_row({"x", "some words and then a_word_that_is_much_longer_than_the_line_could_ever_hold and more"});
  std::istringstream lines(table.to_string(30));
  int longer = 0;
  for (std::string line; std::getline(lines, line);) longer += line.size() > 30;
  EXPECT_EQ(longer, 1);
}

TEST(Table, CountsLettersInsteadOfBytes) {
  EXPECT_EQ(display_width("Grüße"), 5u);
  EXPECT_EQ(display_width("λ₁ → 0"), 6u);
  Table table({{"word"}, {"n", Align::Right}});
  table.add_row({"Grüße", "1"});
  table.add_row({"Hallo", "10"});
  EXPECT_EQ(table.to_string(), "word    n\nGrüße   1\nHallo  10\n");
}

TEST(Table, KeepsLineBreaksOfTheLastColumn) {
  Table table({{"a"}, {"b"}});
  table.add_row({"x", "one\ntwo"});
  EXPECT_EQ(table.to_string(), "a  b\nx  one\n   two\n");
}

TEST(Table, LeavesANarrowTerminalSomeRoom) {
  Table table({{"a name that fills the terminal"}, {"b"}});
  table.add_row({"x", "a sentence of several words"});
  EXPECT_EQ(table.to_string(10),
            "a name that fills the terminal  b\n"
            "x                               a sentence of\n"
            "                                several words\n");
}

TEST(Table, RefusesRowsOfAnotherLength) {
  Table table({{"a"}, {"b"}});
  EXPECT_THROW(table.add_row({"x"}), std::logic_error);
  EXPECT_THROW(Table({}), std::logic_error);
}

}  // namespace
}  // namespace plumb
