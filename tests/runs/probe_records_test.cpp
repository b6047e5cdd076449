#include "plumb/runs/probe_records.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"

namespace plumb {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::Pair;

template <class Record>
Record reread(const Record& record) {
  const json line = json::parse(to_json_line(to_json(ProbeRecord(record))));
  const std::optional<ProbeRecord> back = probe_record_of(line, FieldReading::Strict);
  return back && std::holds_alternative<Record>(*back) ? std::get<Record>(*back) : Record();
}

TEST(ProbeRecords, ACurveComesBackWithItsLabelsAndWhatIsNotFinite) {
  CurveRecord curve;
  curve.probe = "p";
  curve.variant = "v";
  curve.number = "n";
  curve.axis = "layer";
  curve.at = Numbers{1, 2};
  curve.mean = {3, NAN};
  curve.seeds = 2;
  curve.labels = {{"stack", "decoder"}, {"matrix", "fc2"}};
  const CurveRecord back = reread(curve);
  EXPECT_EQ(back.axis, "layer");
  EXPECT_THAT(back.at.value(), ElementsAre(1, 2));
  ASSERT_EQ(back.mean.size(), 2u);
  EXPECT_EQ(back.mean[0], 3);
  EXPECT_TRUE(std::isnan(back.mean[1]));
  EXPECT_EQ(back.seeds, 2);
  EXPECT_THAT(back.labels, ElementsAre(Pair("matrix", "fc2"), Pair("stack", "decoder")));
}

TEST(ProbeRecords, AReadingComesBackWithItsPlace) {
  ReadingRecord reading;
  reading.seed = 7;
  reading.probe = "p";
  reading.number = "n";
  reading.labels = {{"stack", "encoder"}};
  reading.place = {{"layer", 3}};
  reading.value = 0.5;
  const ReadingRecord back = reread(reading);
  EXPECT_EQ(back.seed, 7);
  EXPECT_EQ(back.value, 0.5);
  EXPECT_THAT(back.labels, ElementsAre(Pair("stack", "encoder")));
  EXPECT_THAT(back.place, ElementsAre(Pair("layer", 3)));
  EXPECT_TRUE(is_reading(to_json_line(to_json(ProbeRecord(reading)))));
  EXPECT_FALSE(is_reading(to_json_line(to_json(ProbeRecord(CurveRecord())))));
}

TEST(ProbeRecords, ASingleNumberHasNoAxis) {
  const json object = to_json(ProbeRecord(CurveRecord()));
  EXPECT_FALSE(object.contains("axis"));
  EXPECT_FALSE(object.contains("at"));
}

TEST(ProbeRecords, AFieldOfAnotherTypeIsRefusedOrPassedOver) {
  const json wrong = {{"type", "curve"}, {"probe", 3}, {"number", "n"}, {"mean", {1, "much"}}};
  EXPECT_FALSE(probe_record_of(wrong, FieldReading::Strict));
  const std::optional<ProbeRecord> read = probe_record_of(wrong, FieldReading::Tolerant);
  ASSERT_TRUE(read);
  const auto& curve = std::get<CurveRecord>(*read);
  EXPECT_EQ(curve.probe, "");
  EXPECT_EQ(curve.number, "n");
  ASSERT_EQ(curve.mean.size(), 2u);
  EXPECT_TRUE(std::isnan(curve.mean[1]));
}

TEST(ProbeRecords, WhatIsNoneIsNone) {
  for (const char* text : {"null", "[]", "3", R"({"type":3})", R"({"type":"song"})"}) {
    EXPECT_FALSE(probe_record_of(json::parse(text), FieldReading::Tolerant)) << text;
  }
}

TEST(ProbeRecords, WhatIsNestedTooDeeplyToBeCopiedIsNone) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  const json record = json::parse(R"({"type":"verdict","verdict":)" + deep + "}");
  EXPECT_FALSE(probe_record_of(record, FieldReading::Tolerant));
}

// The curves of measurements that were kept before records had a type.
TEST(ProbeRecords, WithoutATypeItIsACurve) {
  const std::optional<ProbeRecord> read = probe_record_of({{"number", "n"}, {"mean", {1}}}, FieldReading::Strict);
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::holds_alternative<CurveRecord>(*read));
}

TEST(ProbeRecords, AVerdictIsKeptAsItStands) {
  const json verdict = {{"will_train", true}, {"sentences", json::array()}};
  EXPECT_EQ(reread(VerdictRecord{.variant = "v", .verdict = verdict}).verdict, verdict);
}

}  // namespace
}  // namespace plumb
