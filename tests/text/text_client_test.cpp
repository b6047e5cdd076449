#include "plumb/text/text_client.h"

#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/process/front_process.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// The program `plumb` of this build; it stands beside the test.
class PipedTokenizerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory;
    std::string text;
    for (int i = 0; i < 200; ++i) {
      text += "the quick brown fox " + std::to_string(i) + " jumps over the lazy dog, again and again.\n";
    }
    write_all(*directory_ / "text", text);
    run_front({"text", "train", "--input", path("text"), "--model", path("m.model"), "--vocab-size", "400",
               "--byte-fallback", "--normalization", "identity"});
  }
  static void TearDownTestSuite() {
    delete directory_;
    directory_ = nullptr;
  }
  static std::string path(const std::string& name) { return (*directory_ / name).string(); }

  // A program in the place of `plumb`.
  static std::filesystem::path script(const std::string& name, const std::string& body) {
    write_all(path(name), "#!/bin/sh\n" + body + "\n");
    ::chmod(path(name).c_str(), 0700);
    return path(name);
  }
  static std::string problem(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      return std::to_string(static_cast<int>(error.exit_code())) + " " + error.what();
    }
    return "";
  }

  static TemporaryDirectory* directory_;
};
TemporaryDirectory* PipedTokenizerTest::directory_ = nullptr;

std::string every_byte_but_line_feed() {
  std::string text;
  for (int byte = 1; byte < 256; ++byte) text += byte == '\n' ? ' ' : static_cast<char>(byte);
  return text;
}

TEST_F(PipedTokenizerTest, EncodesAndDecodesThroughTheFront) {
  const PipedTokenizer tokenizer(path("m.model"));
  EXPECT_GT(tokenizer.size(), kSpecials + 256);
  EXPECT_EQ(tokenizer.fingerprint().size(), 64u);
  EXPECT_THAT(tokenizer.vocabulary().size(), tokenizer.size());
  EXPECT_EQ(tokenizer.vocabulary()[kEos], "</s>");
  for (const std::string line :
       {"the quick brown fox", "", "  two  spaces ", "日本語 🙂", "tab\there", "</s> <s>"}) {
    const std::vector<int32_t> ids = tokenizer.encode(line);
    for (const int32_t id : ids) EXPECT_GE(id, kSpecials) << line;
    EXPECT_EQ(tokenizer.decode(ids), line);
  }
}

TEST_F(PipedTokenizerTest, ManyLinesAtOnceEqualOneByOne) {
  const PipedTokenizer tokenizer(path("m.model"));
  std::vector<std::string> lines = {"", every_byte_but_line_feed(), "a", ""};
  for (int i = 0; i < 5000; ++i)
    lines.push_back("line " + std::to_string(i) + std::string(static_cast<size_t>(i) % 300, 'x'));
  const std::vector<std::vector<int32_t>> ids = tokenizer.encode_lines(lines);
  ASSERT_EQ(ids.size(), lines.size());
  for (size_t i = 0; i < lines.size(); i += 97) EXPECT_EQ(ids[i], tokenizer.encode(lines[i])) << i;
  const std::vector<std::string> back = tokenizer.decode_lines(ids);
  for (size_t i = 2; i < lines.size(); ++i) ASSERT_EQ(back[i], lines[i]);
  EXPECT_TRUE(tokenizer.encode_lines({}).empty());
}

TEST_F(PipedTokenizerTest, SurvivesALineOfTenMegabytes) {
  const PipedTokenizer tokenizer(path("m.model"));
  std::string line;
  while (line.size() < (10 << 20)) line += "the quick brown fox jumps over ";
  line.pop_back();
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(line)), line);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("still here")), "still here");
}

TEST_F(PipedTokenizerTest, ServesSeveralThreads) {
  const PipedTokenizer tokenizer(path("m.model"));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        const std::string line = "thread " + std::to_string(t) + " asks " + std::to_string(i);
        ASSERT_EQ(tokenizer.decode(tokenizer.encode(line)), line);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(PipedTokenizerTest, LivesOnWhenTheThreadThatStartedItEnds) {
  std::unique_ptr<PipedTokenizer> tokenizer;
  std::thread([&] { tokenizer = std::make_unique<PipedTokenizer>(path("m.model")); }).join();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(tokenizer->decode(tokenizer->encode("still here")), "still here");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST_F(PipedTokenizerTest, TheErrorsOfTheChildAreThrownHere) {
  EXPECT_THAT(problem([] { PipedTokenizer(path("no.model")); }), AllOf(HasSubstr("2 "), HasSubstr("no.model")));
  EXPECT_THAT(problem([] { PipedTokenizer(path("text")); }), AllOf(HasSubstr("3 "), HasSubstr("not a SentencePiece")));
  const PipedTokenizer tokenizer(path("m.model"));
  EXPECT_THAT(problem([&] { tokenizer.decode(std::vector<int32_t>{1 << 20}); }),
              AllOf(HasSubstr("2 "), HasSubstr("id 1048576")));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("still here")), "still here");
}

TEST_F(PipedTokenizerTest, AFrontThatIsNotThereIsSaidInOneLine) {
  EXPECT_THAT(problem([] { PipedTokenizer(path("m.model"), "/no/such/plumb"); }),
              AllOf(HasSubstr("1 /no/such/plumb: cannot be started"), HasSubstr("./dev build")));
}

TEST_F(PipedTokenizerTest, AChildThatEndsOrTalksNonsenseIsAnErrorAndNoSignal) {
  EXPECT_THAT(problem([] { PipedTokenizer("m", script("ends", "exit 7")); }), HasSubstr("exit code 7"));
  EXPECT_THAT(problem([] { PipedTokenizer("m", script("killed", "kill -9 $$")); }), HasSubstr("signal 9"));
  EXPECT_THAT(problem([] { PipedTokenizer("m", script("talks", "echo hello, this is no frame")); }),
              HasSubstr("plumb text serve"));
  EXPECT_THAT(problem([] { PipedTokenizer("m", script("odd", R"(printf '\002\000\000\000Zz'; cat > /dev/null)")); }),
              HasSubstr("not understood"));
}

TEST_F(PipedTokenizerTest, AModelThatMakesTheChildCrashIsDamaged) {
  for (const char* signal : {"SEGV", "ABRT", "BUS"}) {
    const auto dies = script("crashes", std::string("kill -") + signal + " $$");
    EXPECT_THAT(problem([&] { PipedTokenizer("its.model", dies); }),
                AllOf(HasSubstr("3 its.model: SentencePiece crashed on it (signal "), HasSubstr("Copy it again")));
  }
}

TEST_F(PipedTokenizerTest, SaysSoWhenTheChildIsKilledBetweenTwoCalls) {
  FrontProcess process({"text", "serve", "--model", path("m.model")});
  ::kill(process.pid(), SIGKILL);
  EXPECT_EQ(process.end(), "was killed by signal 9");
  EXPECT_EQ(process.end(), "has ended before");
}

TEST_F(PipedTokenizerTest, TheChildHasItsOwnGroupAndIgnoresTheTerminal) {
  FrontProcess process({"text", "serve", "--model", path("m.model")});
  EXPECT_NE(::getpgid(process.pid()), ::getpgrp());
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    ::kill(process.pid(), number);  // at once: it may not be up
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::kill(process.pid(), number);
  EXPECT_EQ(process.end(), "ended with exit code 0");
}

TEST_F(PipedTokenizerTest, RunningTheFrontGivesItsOutputOrItsError) {
  EXPECT_THAT(run_front({"--version"}), HasSubstr("plumb "));
  EXPECT_THAT(problem([] {
                run_front({"text", "train", "--input", "/no/such/file", "--model", path("x.model")});
              }),
              AllOf(HasSubstr("2 /no/such/file: cannot be opened"), testing::Not(HasSubstr("plumb: "))));
  EXPECT_EQ(problem([] { run_front({"prepare"}, script("dies", "kill -9 $$")); }),
            "1 `plumb prepare` was killed by signal 9");
}

}  // namespace
}  // namespace plumb
