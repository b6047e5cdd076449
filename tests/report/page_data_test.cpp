// What the page gets from run and probe folders: whole, broken, empty, half-written.

#include "plumb/report/page_data.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "plumb/base/error.h"
#include "plumb/report/probe_data.h"
#include "plumb/report/run_data.h"

#include "support/temporary_directory.h"

namespace plumb::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::EndsWith;

class PageDataTest : public ::testing::Test {
 protected:
  fs::path folder(const std::string& name) {
    fs::create_directories(root_ / name);
    return root_ / name;
  }
  json run(const std::string& log, const PageBudget& budget = {}) {
    write_all(folder("run") / "log.jsonl", log);
    return run_data(root_ / "run", "run", budget);
  }
  json probe(const std::string& lines) {
    write_all(folder("probe") / "probe.jsonl", lines);
    return probe_data(root_ / "probe", "probe");
  }
  ShownFolders shown_folders(const std::vector<std::string>& names) {
    std::vector<std::string> given;
    for (const std::string& name : names) given.push_back((root_ / name).string());
    return find_shown_folders(given);
  }

  TemporaryDirectory root_;
};

constexpr char kTrain[] =
    R"({"type":"train","update":50,"loss":2.5,"gnorm":"Infinity","lr":0.001,"epoch":0.5,"tokens":9})"
    "\n";

TEST_F(PageDataTest, EveryNumberOfTrainAndValidIsACurve) {
  const json data = run(std::string(kTrain) + R"({"type":"train","update":100,"loss":1.5,"gnorm":2.0,"lr":0.002})"
                                              "\n"
                                              R"({"type":"valid","update":100,"loss":3.25,"ppl":20,"bleu":12.5})"
                                              "\n");
  EXPECT_EQ(data["curves"]["train.loss"]["dx"], json({50, 50}));
  EXPECT_EQ(data["curves"]["train.loss"]["y"], json({2.5, 1.5}));
  EXPECT_EQ(data["curves"]["train.loss"]["logged"], 2);
  EXPECT_EQ(data["curves"]["train.gnorm"]["y"], json({2.0}));
  EXPECT_EQ(data["curves"]["train.gnorm"]["gaps"][0][0], 50);
  EXPECT_EQ(data["curves"]["valid.bleu"]["y"], json({12.5}));
  EXPECT_FALSE(data["curves"].contains("train.tokens") || data["curves"].contains("train.epoch"));
}

// The trainer leaves such an update out of the mean of its interval: only the event knows of it.
TEST_F(PageDataTest, UpdatesThatWereNotFiniteAreGapsOfTheCurve) {
  const json data =
      run(std::string(kTrain) + R"({"type":"event","event":"nonfinite","update":53,"loss":"NaN","gnorm":1.5})"
                                "\n"
                                R"({"type":"event","event":"nonfinite","update":99,"loss":"Infinity","gnorm":"NaN"})"
                                "\n"
                                R"({"type":"train","update":100,"loss":1.5,"gnorm":2.0,"lr":0.002})"
                                "\n");
  EXPECT_EQ(data["curves"]["train.loss"]["dx"], json({50, 50}));
  EXPECT_EQ(data["curves"]["train.loss"]["gaps"].size(), 1u) << "nothing finite lies between 54 and 100";
  EXPECT_EQ(data["curves"]["train.loss"]["gaps"][0][0], 54);
  EXPECT_EQ(data["curves"]["train.loss"]["gaps"][0][1], 100);
  EXPECT_EQ(data["curves"]["train.loss"]["gaps"][0][3], 2);
  EXPECT_EQ(data["curves"]["train.gnorm"]["gaps"].size(), 1u);
  EXPECT_EQ(to_script_json(data["curves"]["train.nll"]["gaps"]), to_script_json(data["curves"]["train.loss"]["gaps"]))
      << "it was lost with the loss";
}

// Where every update of an interval was refused, its record has the loss that was refused.
TEST_F(PageDataTest, AnEventAndTheRecordOfItsIntervalAreOneValue) {
  const json data = run(std::string(kTrain) + R"({"type":"event","event":"nonfinite","update":99,"loss":"NaN"})"
                                              "\n"
                                              R"({"type":"train","update":100,"loss":"NaN","nll":"NaN"})"
                                              "\n");
  EXPECT_EQ(data["curves"]["train.loss"]["gaps"][0][3], 1);
  EXPECT_EQ(data["curves"]["train.nll"]["gaps"][0][3], 1);
}

TEST_F(PageDataTest, ALastLineThatIsBeingWrittenIsNotDamage) {
  const json data = run(std::string(kTrain) + R"({"type":"train","update":100,"lo)");
  EXPECT_EQ(data["curves"]["train.loss"]["y"].size(), 1u);
  EXPECT_EQ(data["problems"].size(), 1u) << "only that there is no config: " << data["problems"];
}

TEST_F(PageDataTest, ALastLineThatIsNoRecordIsDamage) {
  for (const char* line : {"\xff\xfe\x01", "[1,2", "{1", "log"}) {
    EXPECT_NE(run(std::string(kTrain) + line)["problems"].dump().find("1 line of log.jsonl"), std::string::npos)
        << line;
  }
  EXPECT_EQ(probe("\xff\xfe\x01")["problems"],
            json({"probe.jsonl has no measurement in it.", "1 of the lines of probe.jsonl cannot be read."}));
}

TEST_F(PageDataTest, AnEmptyConfigIsNotTheDefaults) {
  write_all(folder("run") / "config.toml", "");
  const json data = run(kTrain);
  EXPECT_EQ(data["problems"], json({"config.toml is empty: what was trained is not known."}));
  EXPECT_FALSE(data["summary"].contains("lr")) << data["summary"];
}

TEST_F(PageDataTest, BrokenLinesAreLeftOutAndSaid) {
  const json data = run("{\n[]\nnull\n\xff\xfe\n" + std::string(kTrain) +
                        R"({"type":"train","update":"x","loss":1})"
                        "\n"
                        R"({"type":"train","update":60,"loss":{"a":1},"lr":[1]})"
                        "\n");
  EXPECT_EQ(data["curves"]["train.loss"]["y"], json({2.5}));
  EXPECT_NE(data["problems"].dump().find("5 lines"), std::string::npos) << data["problems"];
}

TEST_F(PageDataTest, EmptyFilesAndEmptyFolders) {
  EXPECT_TRUE(run("")["curves"].empty());
  EXPECT_TRUE(probe("")["arms"].empty());
  EXPECT_EQ(probe("")["problems"], json({"probe.jsonl has no measurement in it."}));
  EXPECT_EQ(page_data({})["runs"].size(), 0u);
}

TEST_F(PageDataTest, GradientsAreInTheOrderOfTheModelAndReduced) {
  std::string log;
  for (int update = 0; update < 1000; ++update) {
    log += json{{"type", "gradients"},
                {"update", update},
                {"norms",
                 {{"decoder.layers.0.ffn", 1},
                  {"encoder.layers.10.ffn", 3},
                  {"encoder.layers.2.ffn", 2},
                  {"encoder.layers.2.self_attn", "NaN"}}}}
               .dump() +
           "\n";
  }
  const json gradients = run(log)["gradients"];
  EXPECT_EQ(gradients["names"], json({"encoder.layers.2.self_attn", "encoder.layers.2.ffn", "encoder.layers.10.ffn",
                                      "decoder.layers.0.ffn"}));
  EXPECT_LE(gradients["updates"].size(), 161u);
  EXPECT_EQ(gradients["updates"].back(), 999);
  EXPECT_EQ(gradients["logged"], 1000);
  EXPECT_EQ(gradients["norms"][0][1], 2);
}

// A deep model has more sub-layers: it gets fewer updates, so that a page of a hundred of them can still be sent.
TEST_F(PageDataTest, GradientsOfManyRunsAndLayersTakeTheRoomOfFew) {
  const auto cells = [&](size_t layers, size_t runs) {
    json norms;
    for (size_t layer = 0; layer < layers; ++layer) norms["encoder.layers." + std::to_string(layer) + ".ffn"] = 1;
    std::string log;
    for (int update = 0; update < 1000; ++update)
      log += json{{"type", "gradients"}, {"update", update}, {"norms", norms}}.dump() + "\n";
    write_all(folder("run") / "log.jsonl", log);
    const json gradients = run_data(root_ / "run", "run", budget_for(runs))["gradients"];
    return gradients["updates"].size() * gradients["names"].size();
  };
  EXPECT_EQ(cells(90, 1), 144u * 90) << "every seventh, and the last";
  EXPECT_EQ(cells(6, 100), 144u * 6);
  for (const size_t layers : {30, 60, 90}) EXPECT_LE(cells(layers, 100), 1500 + layers) << "and the last one";
  EXPECT_GE(cells(90, 100), 1350u);
  EXPECT_EQ(cells(90, 10000), 13u * 90) << "never so few that nothing can be seen";
}

// The trainer writes both within the update that makes u + 1 of u, and calls them u: a resume at u does them again.
TEST_F(PageDataTest, AResumeDoublesNoColumnAndNoGap) {
  const std::string gradients = R"({"type":"gradients","update":50,"norms":{"encoder.layers.0.ffn":1}})"
                                "\n",
                    nonfinite = R"({"type":"event","event":"nonfinite","update":50,"loss":"NaN","gnorm":"NaN"})"
                                "\n";
  const json data = run(std::string(kTrain) + nonfinite + gradients +
                        R"({"type":"event","event":"resumed","update":50})"
                        "\n" +
                        nonfinite + gradients);
  EXPECT_EQ(data["gradients"]["updates"], json({50}));
  EXPECT_EQ(data["curves"]["train.loss"]["gaps"][0][3], 1);
  EXPECT_EQ(data["curves"]["train.loss"]["y"], json({2.5})) << "what was logged at 50 was done by then";
}

TEST_F(PageDataTest, OfManyEventsTheFirstAndTheLastAreKept) {
  std::string log = R"({"type":"event","event":"started","update":0})"
                    "\n";
  for (int update = 0; update < 1000; ++update) {
    log += json{{"type", "event"}, {"event", "nonfinite"}, {"update", update}}.dump() + "\n";
  }
  const std::string end = R"({"type":"event","event":"diverged","update":1000,"reason":"r"})"
                          "\n"
                          R"({"type":"event","event":"ended","update":1000,"outcome":"diverged"})"
                          "\n";
  const json data = run(log + end), &events = data["events"];
  ASSERT_EQ(events.size(), 100u);
  EXPECT_EQ(events.front()["event"], "started");
  EXPECT_EQ(events[98]["event"], "diverged");
  EXPECT_EQ(events[99]["event"], "ended");
  EXPECT_EQ(data["events_left_out"], json({{"after", 50}, {"count", 903}}));
  EXPECT_EQ(events[49]["update"].get<int>() + 1 + 903, events[50]["update"].get<int>());
  EXPECT_FALSE(run(end).contains("events_left_out"));
}

TEST_F(PageDataTest, SamplesAndTheCommandAreTakenAsText) {
  const json data = run(R"({"type":"event","event":"started","update":0,"command":"plumb train 'a b.toml'"})"
                        "\n"
                        R"({"type":"samples","update":5,"source":["x",3],"reference":"no list","output":["<b>"]})"
                        "\n");
  EXPECT_EQ(data["command"], "plumb train 'a b.toml'");
  EXPECT_EQ(data["samples"][0]["source"], json({"x", ""}));
  EXPECT_EQ(data["samples"][0]["reference"], json::array());
  EXPECT_EQ(data["samples"][0]["output"], json({"<b>"}));
}

TEST_F(PageDataTest, LongOutputsAreShownOfFewerMomentsAndThenCut) {
  const auto samples_of_length = [&](size_t length, size_t runs) {
    std::string log;
    for (int update = 1; update <= 12; ++update) {
      const std::string line(length, 'a');
      log +=
          json{{"type", "samples"}, {"update", update}, {"source", {line}}, {"reference", {line}}, {"output", {line}}}
              .dump() +
          "\n";
    }
    return run(log, budget_for(runs))["samples"];
  };
  EXPECT_EQ(samples_of_length(700, 100).size(), 6u);
  const json fewer = samples_of_length(1200, 100);  // 6,400 bytes: a source, a reference, three outputs
  ASSERT_EQ(fewer.size(), 3u);
  EXPECT_EQ(fewer[2]["update"], 12);
  EXPECT_EQ(fewer[2]["output"][0].get<std::string>().size(), 1200u);
  const json cut = samples_of_length(19000, 100);
  ASSERT_EQ(cut.size(), 2u);
  EXPECT_THAT(cut[1]["output"][0].get<std::string>(), EndsWith("aaa ..."));
  EXPECT_LT(cut.dump().size(), 6800u);
  EXPECT_EQ(samples_of_length(19000, 1).size(), 6u);
}

TEST_F(PageDataTest, LinesOfAValidationSetStandOnce) {
  std::string log;
  for (int update = 1; update <= 3; ++update) {
    const std::string line = update < 3 ? "same" : "other";
    log += json{{"type", "samples"}, {"update", update}, {"source", {line}}, {"reference", {"r"}}, {"output", {"o"}}}
               .dump() +
           "\n";
  }
  const json samples = run(log)["samples"];
  EXPECT_EQ(samples[0]["source"], json({"same"}));
  EXPECT_EQ(samples[1], json({{"update", 2}, {"output", {"o"}}}));
  EXPECT_EQ(samples[2], json({{"update", 3}, {"source", {"other"}}, {"output", {"o"}}}));
}

// A socket: not even root can open it as a file.
TEST_F(PageDataTest, FilesThatCannotBeOpenedAreSaid) {
  for (const char* name : {"run/log.jsonl", "run/config.toml", "probe/probe.jsonl"}) {
    const fs::path file = root_ / name;
    fs::create_directories(file.parent_path());
    ASSERT_EQ(::mknod(file.c_str(), S_IFSOCK | 0600, 0), 0);
  }
  EXPECT_EQ(run_data(root_ / "run", "run", {})["problems"],
            json({"log.jsonl cannot be opened.", "config.toml cannot be opened."}));
  EXPECT_EQ(probe_data(root_ / "probe", "probe")["problems"], json({"probe.jsonl cannot be opened."}));
}

TEST_F(PageDataTest, ProbesKeepCurvesAndVerdictsButNotReadings) {
  const json data = probe(
      R"({"type":"subject","variant":"a","of":"x.toml","sample":"s","config":"c"})"
      "\n"
      R"({"type":"reading","probe":"p","number":"n","value":1})"
      "\n"
      R"({"type":"curve","probe":"p","number":"n","variant":"a","stack":"encoder","axis":"layer","at":[1,2],"mean":[0.5,"NaN"],"low":[0,0],"high":[1,1],"deviation":[0,0],"seeds":3})"
      "\n"
      R"({"type":"curve","probe":"p","number":"m","variant":"a","mean":[1],"low":["-Infinity"],"high":["Infinity"],"seeds":1})"
      "\n"
      "nonsense\n"
      R"({"type":"verdict","variant":"a","verdict":{"will_train":true}})"
      "\n");
  ASSERT_EQ(data["arms"].size(), 1u);
  const json& arm = data["arms"][0];
  ASSERT_EQ(arm["curves"].size(), 2u);
  EXPECT_EQ(arm["curves"][0]["labels"], json({{"stack", "encoder"}}));
  EXPECT_EQ(to_script_json(arm["curves"][0]["mean"]), R"([0.5,"NaN"])");
  EXPECT_TRUE(arm["curves"][0].contains("low"));
  EXPECT_FALSE(arm["curves"][1].contains("low")) << "one seed has no interval";
  EXPECT_EQ(arm["verdict"]["will_train"], true);
  EXPECT_EQ(data["problems"].size(), 1u);
}

TEST_F(PageDataTest, NoNestingIsTooDeep) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  const json data = probe(R"({"type":"subject","variant":"a"})"
                          "\n"
                          R"({"type":"verdict","verdict":{"x":)" +
                          deep + "}}\n" + R"({"type":"curve","probe":"p","number":"n","mean":)" + deep + "}\n");
  EXPECT_FALSE(data["arms"][0].contains("verdict"));
  EXPECT_EQ(data["problems"].size(), 1u);
  write_all(folder("sweep") / "sweep.json", deep);
  write_all(folder("sweep") / "log.jsonl", deep + "\n" + R"({"type":"train","update":1,"loss":)" + deep + "}\n");
  EXPECT_FALSE(to_script_json(page_data(shown_folders({"sweep"}))).empty());
}

TEST_F(PageDataTest, OfTheRunsOfASweepThePageHasWhatItsTablesSay) {
  const std::string text = R"({"arms": [{"name": "a"}], "grid": [], "runs": [
      {"arm": "a", "seed": 1, "outcome": "diverged", "value": null,
       "summary": {"seconds": 5, "tokens_per_second": 7, "lr": 1, "failure": {"update": 12, "reason": "r"}}},
      {"arm": "a", "seed": 2, "outcome": "trained", "value": 3, "summary": {"failure": {"update": 9}}}, 7]})";
  write_all(folder("sweep") / "sweep.json", text);
  const json runs = page_data(shown_folders({"sweep"}))["sweeps"][0]["sweep"]["runs"];
  EXPECT_EQ(runs[0], json({{"arm", "a"},
                           {"seed", 1},
                           {"outcome", "diverged"},
                           {"seconds", 5},
                           {"tokens_per_second", 7},
                           {"failed_at", 12}}));
  EXPECT_FALSE(runs[1].contains("failed_at")) << "it has a value all the same";
  EXPECT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1]["outcome"], "finished") << "the word of today";
}

TEST_F(PageDataTest, ASweepOfAnOlderVersionIsReadInTheWordsOfToday) {
  write_all(folder("sweep") / "sweep.json", R"({"grid": [], "arms": [
      {"name": "a", "trained": 2, "failed": 1, "outcomes": {"trained": 2, "stuck": 1}}, 7]})");
  const json arms = page_data(shown_folders({"sweep"}))["sweeps"][0]["sweep"]["arms"];
  EXPECT_EQ(arms[0],
            json({{"name", "a"}, {"finished", 2}, {"failed", 1}, {"outcomes", {{"finished", 2}, {"stuck", 1}}}}));
}

TEST_F(PageDataTest, ASweepThatCannotBeReadIsSaid) {
  for (const char* text : {"{", "[]", "{}", R"({"arms": {}, "grid": []})"}) {
    write_all(folder("sweep") / "sweep.json", text);
    const json sweep = page_data(shown_folders({"sweep"}))["sweeps"][0];
    EXPECT_EQ(sweep["problems"].size(), 1u) << text;
    EXPECT_FALSE(sweep.contains("sweep"));
  }
}

TEST_F(PageDataTest, FoldersOfFoldersAreSearchedAndNamedApart) {
  for (const char* name : {"s/a/1", "s/a/2", "s/b/1", "s/a/1/checkpoints/5"})
    write_all(folder(name) / "config.toml", "");
  write_all(folder("p") / "probe.jsonl", "");
  const ShownFolders found = shown_folders({"s", "p", "s/b/1"});
  ASSERT_EQ(found.runs.size(), 3u) << "each once, and nothing below a run";
  EXPECT_EQ(found.runs[0].name, "a/1");
  EXPECT_EQ(found.runs[1].name, "2");
  EXPECT_EQ(found.runs[2].name, "b/1");
  EXPECT_EQ(found.probes.size(), 1u);
}

TEST_F(PageDataTest, ProbesThatLieInTheirRunAreFound) {
  write_all(folder("s") / "sweep.json", "{}");
  for (const char* arm : {"s/a/seed1", "s/b/seed1"}) {
    write_all(folder(arm) / "config.toml", "");
    write_all(folder(std::string(arm) + "/probes/curvature") / "probe.jsonl", "");
  }
  write_all(folder("s/b/seed1/probes/curvature/deeper") / "probe.jsonl", "");
  const ShownFolders found = shown_folders({"s"});
  EXPECT_EQ(found.runs.size(), 2u);
  ASSERT_EQ(found.probes.size(), 2u);
  EXPECT_EQ(found.probes[0].folder, root_ / "s/a/seed1/probes/curvature");
  EXPECT_EQ(shown_folders({"s/b/seed1"}).probes.size(), 1u);
}

TEST_F(PageDataTest, AnEndThatAllNamesHaveSaysNothing) {
  for (const char* name : {"t/a/seed1", "t/b/seed1", "t/c/d/seed1"}) write_all(folder(name) / "config.toml", "");
  std::vector<std::string> names;
  for (const NamedFolder& run : shown_folders({"t"}).runs) names.push_back(run.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "d"}));
  EXPECT_EQ(shown_folders({"t/a/seed1"}).runs[0].name, "seed1");
}

TEST_F(PageDataTest, LinksLeadToRunsAndNotToSearches) {
  write_all(folder("elsewhere/run") / "config.toml", "");
  write_all(folder("given/own") / "config.toml", "");
  fs::create_symlink("../elsewhere/run", root_ / "given/linked");
  fs::create_symlink("..", root_ / "given/above");
  EXPECT_EQ(shown_folders({"given"}).runs.size(), 2u);
}

TEST_F(PageDataTest, APageDoesNotReplaceWhatItIsMadeOf) {
  write_all(folder("run") / "log.jsonl", "");
  const ShownFolders found = shown_folders({"run"});
  EXPECT_THROW(refuse_to_overwrite(found, root_ / "run/../run/log.jsonl"), UserError);
  refuse_to_overwrite(found, root_ / "run/report.html");
}

TEST_F(PageDataTest, WhatIsNotThereIsTheUsersMistake) {
  folder("empty");
  write_all(folder("f") / "file", "");
  for (const char* name : {"nowhere", "empty", "f/file"}) EXPECT_THROW(shown_folders({name}), UserError) << name;
}

TEST_F(PageDataTest, SixDigitsAreShown) {
  EXPECT_EQ(shown(1.23456789), 1.23457);
  EXPECT_EQ(shown(-1234567.0), -1234570.0);
  EXPECT_EQ(shown(0), 0);
  EXPECT_TRUE(std::isinf(shown(HUGE_VAL)));
}

// What a run from elsewhere links to is not its own.
TEST_F(PageDataTest, LinksThatLeadOutOfTheFolderAreNotFollowed) {
  write_all(root_ / "secret", "root:x:0:0\n");
  const fs::path run = folder("linked");
  write_all(run / "log.jsonl", kTrain);
  fs::create_symlink("../secret", run / "config.toml");
  const json data = run_data(run, "run", {});
  EXPECT_EQ(data.dump().find("root:x"), std::string::npos);
  EXPECT_EQ(data["problems"], json({"config.toml cannot be opened."}));
  EXPECT_EQ(data["curves"]["train.loss"]["logged"], 1);

  write_all(folder("linked/kept") / "config.toml", "seed = 7\n");
  fs::remove(run / "config.toml");
  fs::create_symlink("kept/config.toml", run / "config.toml");
  EXPECT_EQ(run_data(run, "run", {})["config"], "seed = 7\n") << "within the folder it is";
}

TEST_F(PageDataTest, LinkedProbesAndSweepsAreNotFollowedEither) {
  write_all(folder("other") / "probe.jsonl", R"({"type":"subject","variant":"secret"})"
                                             "\n");
  write_all(folder("other") / "sweep.json", R"({"arms":[],"grid":[],"name":"secret"})");
  for (const char* name : {"probe.jsonl", "sweep.json"})
    fs::create_symlink(root_ / "other" / name, folder("links") / name);
  EXPECT_NE(page_data(shown_folders({"other"})).dump().find("secret"), std::string::npos);
  EXPECT_EQ(page_data(shown_folders({"links"})).dump().find("secret"), std::string::npos);
}

TEST_F(PageDataTest, APageIsNotWrittenThroughALink) {
  write_all(folder("run") / "log.jsonl", "");
  fs::create_symlink("elsewhere", root_ / "page.html");
  EXPECT_THROW(refuse_to_overwrite(shown_folders({"run"}), root_ / "page.html"), UserError);
}

}  // namespace
}  // namespace plumb::report
