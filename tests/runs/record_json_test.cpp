#include "plumb/runs/record_json.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"
#include "plumb/runs/record_rows.h"

namespace plumb {
namespace {

using nlohmann::json;

std::string line(const LogRecord& record) {
  return to_json_line(to_json(record));
}

std::string there_and_back(const std::string& text) {
  const std::optional<LogRecord> record = record_of(json::parse(text));
  return record ? line(*record) : "no record";
}

// As the first version wrote them: every reader of a log relies on these bytes.
constexpr const char* kLines[] = {
    R"({"epoch":0.5,"fill":0.9,"gnorm":"Infinity","loss":"NaN","lr":0.001,"nll":2.0,"rows":1800.0,"tokens":900,"type":"train","update":10,"wpb":90.0,"wps":1000.0})",
    R"({"bleu":12.5,"epoch":1.0,"loss":3.0,"nll":"-Infinity","ppl":20.0,"type":"valid","update":10})",
    R"({"norms":{"encoder.layers.0.ffn":0.5,"encoder.layers.1.ffn":"NaN"},"type":"gradients","update":3})",
    R"({"output":["c",""],"reference":["b","d"],"source":["a","d"],"type":"samples","update":10})",
    R"({"command":"plumb train x","event":"started","left_out":0,"parameters":12,"threads":2,"train_examples":5,"type":"event","unigram_entropy":3.2,"update":0})",
    R"({"event":"pretrained","new_parameters":[],"run":"runs/bert","type":"event","update":0})",
    R"({"event":"resumed","type":"event","update":7})",
    R"({"changes":["optim.lr was 1, is 2"],"event":"resumed","type":"event","update":7})",
    R"({"error":"e","event":"damaged_checkpoint","type":"event","update":20})",
    R"({"event":"nonfinite","gnorm":"NaN","gradient_tap":"","loss":"NaN","parameter":"p","tap":"t","type":"event","update":6})",
    R"({"event":"diverged","reason":"r","type":"event","update":7})",
    R"({"event":"stuck","reason":"r","type":"event","update":7})",
    R"({"error":"e","event":"tensorboard_failed","type":"event","update":20})",
    R"({"best_update":5,"event":"early_stop","type":"event","update":7})",
    R"({"event":"ended","outcome":"finished","type":"event","unigram_share":0.5,"update":7})",
};

TEST(LogRecords, EveryKindComesBackAsItWasWritten) {
  for (const char* text : kLines) EXPECT_EQ(there_and_back(text), text);
}

TEST(LogRecords, EveryKindIsListed) {
  const std::vector<RecordRow> rows = record_rows();
  EXPECT_EQ(rows.size(), std::variant_size_v<LogRecord> - 2) << "all but those of other versions";
  for (const RecordRow& row : rows) {
    EXPECT_EQ(row.fields.front().key, "update") << row.type << " " << row.event;
    for (const RecordRow::Field& field : row.fields) EXPECT_FALSE(field.help.empty()) << field.key;
  }
}

TEST(LogRecords, AKeyIsSpeltWhereTheFieldIs) {
  EXPECT_EQ(key_of(&TrainRecord::gnorm), "gnorm");
  EXPECT_EQ(key_of(&ValidRecord::update), "update");
  EXPECT_EQ(key_of(&EndedEvent::unigram_share), "unigram_share");
}

TEST(LogRecords, AFieldOfAnotherTypeIsNotThereAndTheOthersAre) {
  const auto record =
      record_of(json::parse(R"({"type":"valid","update":3,"loss":"abc","nll":2,"scores":[1],"wer":7})"));
  const ValidRecord& valid = std::get<ValidRecord>(record.value());
  EXPECT_FALSE(valid.loss);
  EXPECT_EQ(valid.nll, 2);
  EXPECT_EQ(valid.scores, (OtherNumbers{{"wer", 7}}));
}

TEST(LogRecords, WhatOlderVersionsWroteIsRead) {
  const auto record = record_of(json::parse(R"({"type":"event","event":"ended","outcome":"trained","update":9})"));
  EXPECT_EQ(std::get<EndedEvent>(record.value()).outcome, RunOutcome::Finished);
  EXPECT_FALSE(std::get<EndedEvent>(*record).unigram_share);
}

TEST(LogRecords, OtherVersionsMayHaveOthers) {
  const auto event = record_of(json::parse(R"({"type":"event","event":"moved","update":9,"reason":"r","x":1})"));
  EXPECT_EQ(std::get<OtherEvent>(event.value()).event, "moved");
  EXPECT_EQ(std::get<OtherEvent>(*event).reason, "r");
  const auto record = record_of(json::parse(R"({"type":"weather","update":9})"));
  EXPECT_EQ(std::get<OtherRecord>(record.value()).type, "weather");
  EXPECT_EQ(update_of(*record), 9);
}

TEST(LogRecords, WithoutTypeAndUpdateThereIsNone) {
  for (const char* text : {"7", "[]", "{}", R"({"type":"train"})", R"({"type":7,"update":1})",
                           R"({"type":"train","update":"x"})", R"({"type":"train","update":1.5})"}) {
    EXPECT_EQ(there_and_back(text), "no record") << text;
  }
}

}  // namespace
}  // namespace plumb
