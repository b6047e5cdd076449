#include "plumb/report/probe_data.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plumb/catalogue/probes.h"

namespace plumb::report {
namespace {

using nlohmann::json;

std::string curve(const char* probe, const char* number) {
  const json record = {{"type", "curve"}, {"probe", probe},    {"number", number}, {"axis", "layer"}, {"at", {1, 2}},
                       {"mean", {3, 4}},  {"low", {2.5, 3.5}}, {"high", {4, 5}},   {"seeds", 3}};
  return record.dump() + '\n';
}

// An interval is drawn around a line; a colour has none, and a page of matrices would be three times as large with
// them.
TEST(ProbeData, KeepsIntervalsOfWhatIsDrawnAsLines) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "probe_data";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "probe.jsonl") << R"({"type":"subject","variant":"post_ln"})" << '\n'
                                        << curve("dependency", "beta") << curve("dependency", "own")
                                        << curve("a_newer_one", "beta");
  const json curves = probe_data(folder, "probe")["arms"][0]["curves"];
  ASSERT_EQ(curves.size(), 3u);
  EXPECT_FALSE(curves[0].contains("low"));
  EXPECT_EQ(curves[1]["low"], (json{2.5, 3.5}));
  EXPECT_EQ(curves[2]["high"], (json{4, 5}));
}

TEST(ProbeCatalogue, SaysHowNumbersAreDrawnThatAreNoLines) {
  const json rows = probe_catalogue();
  ASSERT_EQ(rows.size(), probes().size());
  for (size_t i = 0; i < rows.size(); ++i) {
    json expected = json::array();
    for (const ProbeRow::Number& number : probes()[i].numbers) {
      EXPECT_EQ(rows[i]["numbers"][std::string(number.name)], number.meaning);
      if (number.chart != ProbeRow::Chart::Lines) expected.push_back({number.name, word(number.chart)});
    }
    json found = json::array();
    for (const json& chart : rows[i]["charts"]) found.push_back({chart["number"], chart["kind"]});
    EXPECT_EQ(found, expected) << probes()[i].name;
  }
}

}  // namespace
}  // namespace plumb::report
