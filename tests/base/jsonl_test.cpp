#include "plumb/base/jsonl.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Jsonl, KeepsNumbersThatAreNotFinite) {
  const nlohmann::json record = {{"a", kNaN}, {"b", {1.5, kInfinity, {{"c", -kInfinity}}}}, {"d", nullptr}};
  EXPECT_EQ(to_json_line(record), R"({"a":"NaN","b":[1.5,"Infinity",{"c":"-Infinity"}],"d":null})");
  EXPECT_EQ(to_json_line(kNaN), R"("NaN")");
  EXPECT_TRUE(record["a"].is_number_float()) << "the caller's record is not touched";
}

TEST(Jsonl, ReadsEveryNumberBack) {
  for (const double value : {0.0, -1.5, 1e-300, 0.1, kInfinity, -kInfinity}) {
    EXPECT_EQ(number_of_json(nlohmann::json::parse(to_json_line(value))), value);
  }
  EXPECT_TRUE(std::isnan(number_of_json(nlohmann::json::parse(to_json_line(kNaN)))));
  EXPECT_EQ(number_of_json(7), 7.0);
  EXPECT_THROW(number_of_json("seven"), nlohmann::json::type_error);
  EXPECT_THROW(number_of_json(nullptr), nlohmann::json::type_error);
}

TEST(Jsonl, IsOneLineWhateverTheTextHolds) {
  const std::string line = to_json_line({{"text", "two\nlines, \"quoted\", \xff, Grüße"}});
  EXPECT_EQ(line, "{\"text\":\"two\\nlines, \\\"quoted\\\", \xEF\xBF\xBD, Grüße\"}");
}

TEST(Jsonl, AppendsAndIsReadableAtOnce) {
  const TemporaryDirectory directory;
  const auto path = directory / "log.jsonl";
  {
    JsonlWriter log(path);
    log.write({{"step", 1}});
    EXPECT_EQ(read_all(path), "{\"step\":1}\n");
    log.write({{"step", 2}, {"loss", kNaN}});
  }
  JsonlWriter(path).write({{"step", 3}});  // a resumed run goes on
  EXPECT_EQ(read_all(path), "{\"step\":1}\n{\"loss\":\"NaN\",\"step\":2}\n{\"step\":3}\n");
}

TEST(Jsonl, DoesNotGlueARecordToHalfALineOfACrash) {
  const TemporaryDirectory directory;
  write_all(directory / "log", "{\"step\":1}\n{\"st");
  JsonlWriter(directory / "log").write({{"step", 2}});
  EXPECT_EQ(read_all(directory / "log"), "{\"step\":1}\n{\"st\n{\"step\":2}\n");
}

TEST(Jsonl, SaysWhenTheDiskRefuses) {
  const TemporaryDirectory directory;
  EXPECT_THROW(JsonlWriter(directory / "absent/log"), DiskError);
  JsonlWriter full("/dev/full");
  try {
    full.write({{"step", 1}});
    FAIL() << "no exception";
  } catch (const DiskError& error) {
    EXPECT_EQ(std::string(error.what()).find("/dev/full: cannot be written: No space left on device. "), 0u)
        << error.what();
  }
}

}  // namespace
}  // namespace plumb
