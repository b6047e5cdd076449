#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "plumb/base/file_descriptor.h"
#include "plumb/config/assign.h"
#include "plumb/config/dump.h"
#include "plumb/config/field_text.h"
#include "plumb/config/fields.h"
#include "plumb/config/stack_plan.h"
#include "plumb/config/toml_reader.h"

#include "config/config_test.h"

namespace plumb {
namespace {

using namespace test;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string error_of_text(const std::string& text) {
  const Folder folder;
  const auto file = folder.write("x.toml", text);
  std::string error = error_of([&] { load_config(file, {}); });
  const std::string path = file.string();  // differs from run to run: show it as x.toml
  for (size_t at; (at = error.find(path)) != std::string::npos;) error.replace(at, path.size(), "x.toml");
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  return error;
}

// ---- order ----

TEST(Load, LaterBeatsEarlier) {
  const Folder folder;
  folder.write("a.toml", "seed = 1\n[model]\nwidth = 64\nheads = 1\nffn_width = 10\nencoder_layers = 1\n");
  folder.write("b.toml", "[model]\nheads = 2\nffn_width = 20\nencoder_layers = 2\n");
  const auto file =
      folder.write("sub/c.toml", "include = ['../a.toml', '../b.toml']\n[model]\nffn_width = 30\nencoder_layers = 3\n");
  const Config config = load_config(file, Overrides{"model.encoder_layers=4", "model.encoder_layers=5"});
  EXPECT_EQ(config.seed, 1);
  EXPECT_EQ(config.model.width, 64);
  EXPECT_EQ(config.model.heads, 2);
  EXPECT_EQ(config.model.ffn_width, 30);
  EXPECT_EQ(config.model.encoder_layers, 5);
  EXPECT_EQ(config.model.decoder_layers, ModelConfig{}.decoder_layers);
}

TEST(Load, IncludesAreRelativeToTheIncludingFile) {
  const Folder folder;
  folder.write("deep/down/c.toml", "seed = 7\n");
  folder.write("deep/b.toml", "include = ['down/c.toml']\n");
  const auto file = folder.write("a.toml", "include = ['deep/b.toml']\n");
  EXPECT_EQ(load_config(file, {}).seed, 7);
}

TEST(Load, AFileIncludedTwiceOnDifferentWaysIsNoCycle) {
  const Folder folder;
  folder.write("base.toml", "seed = 3\n");
  folder.write("left.toml", "include = ['base.toml']\n");
  folder.write("right.toml", "include = ['base.toml']\nthreads = 2\n");
  const auto file = folder.write("x.toml", "include = ['left.toml', 'right.toml']\n");
  EXPECT_EQ(load_config(file, {}).seed, 3);
}

TEST(Load, ACycleOfIncludesIsAnError) {
  const Folder folder;
  const auto file = folder.write("a.toml", "include = ['b.toml']\n");
  folder.write("b.toml", "\ninclude = ['./a.toml']\n");
  EXPECT_THAT(error_of([&] { load_config(file, {}); }),
              AllOf(HasSubstr("b.toml:2 include: "), HasSubstr("includes itself")));
}

TEST(Load, AFileWithoutANameIsRead) {
  const FileDescriptor file(::memfd_create("config", MFD_CLOEXEC));
  write_fully(file, std::as_bytes(std::span(std::string_view("seed = 3\n"))));
  EXPECT_EQ(load_config("/proc/self/fd/" + std::to_string(file.get()), {}).seed, 3);
}

TEST(Load, SourcesNameTheFileInWhichAKeyStands) {
  const Folder folder;
  const auto base = folder.write("base.toml", "[model]\n\nwidth = 64\nheads = 4\n");
  const auto file = folder.write("x.toml", "include = ['base.toml']\n[model]\nheads = 8\n");
  Sources sources;
  load_config(file, Overrides{"seed=5"}, &sources);
  EXPECT_EQ(sources.where("model.width"), base.string() + ":3 model.width");
  EXPECT_EQ(sources.where("model.heads"), file.string() + ":3 model.heads");
  EXPECT_EQ(sources.where("seed"), "--set seed");
  EXPECT_EQ(sources.where("threads"), "threads");
}

// ---- values ----

TEST(Load, EveryFieldCanBeSet) {
  // Each key takes its own default as --set would get it, and remembers that it was set.
  for (const FieldRow& row : field_rows()) {
    Sources sources;
    const Config config = load_overrides(Overrides{row.key() + "=" + row.default_value}, &sources);
    EXPECT_TRUE(sources.has(row.key()));
    EXPECT_EQ(to_toml(config), to_toml(Config{})) << row.key();
  }
}

// A value of each type that is not the default.
std::string other(bool value) {
  return value ? "false" : "true";
}
std::string other(int64_t value) {
  return std::to_string(value + 1);
}
std::string other(int value) {
  return std::to_string(value + 1);
}
std::string other(double value) {
  return float_text(value + 0.5);
}
std::string other(const std::string&) {
  return "some words";
}
template <class T>
requires(IsList<T>::value) std::string other(T list) {
  if constexpr (FixedList<T>) {
    list[0] += 1;
  } else {
    list.push_back(7);
  }
  return toml_text(list);
}
template <class T>
std::string other(const Auto<T>&) {
  return toml_text(T{});
}
template <class T>
requires std::is_enum_v<T> std::string other(T value) {
  return std::string(words<T>()[value == T{} ? 1 : 0]);
}

TEST(Load, EveryFieldTakesAnotherValue) {
  const Config defaults;
  for_each_field(defaults, [](const std::string& key, const auto& field, std::string_view) {
    Config config;
    // The checks may refuse the value; here only the way into the field counts.
    assign(config, parse_override(key + "=" + other(field)));
    EXPECT_NE(to_toml(config), to_toml(Config{})) << key;
  });
}

TEST(Load, WordsNeedNoQuotesOnTheCommandLine) {
  const Config config = load_overrides(Overrides{"model.variant=b2t", "model.activation=gelu", "model.init=C",
                                                 "model.norm=\"rms\"", "train.restore_file=7"});
  EXPECT_EQ(config.model.variant, "b2t");
  EXPECT_EQ(config.model.activation, Activation::Gelu);
  EXPECT_EQ(config.model.init, Regime::C);
  EXPECT_EQ(config.model.norm, NormKind::Rms);
  EXPECT_EQ(config.train.restore_file, "7");
}

TEST(Load, AutoUnsetsAField) {
  EXPECT_EQ(load_overrides(Overrides{"model.final_norm=false"}).model.final_norm, false);
  EXPECT_EQ(load_overrides(Overrides{"model.final_norm=false", "model.final_norm=auto"}).model.final_norm,
            std::nullopt);
  EXPECT_EQ(load_overrides(Overrides{"model.init=A", "model.init=auto"}).model.init, std::nullopt);
}

TEST(Load, ANumberMayBeWrittenAsAnInteger) {
  EXPECT_EQ(load_overrides(Overrides{"model.dropout=0"}).model.dropout, 0);
}

// ---- mistakes ----

TEST(Load, AnUnknownKeyNamesLineAndNearestKey) {
  EXPECT_THAT(error_of_text("seed = 1\n[model]\nheadz = 4\n"),
              AllOf(StartsWith("x.toml:3 model.headz: unknown key. "), HasSubstr("Did you mean model.heads?")));
  EXPECT_THAT(error_of_text("heads = 4\n"), AllOf(StartsWith("x.toml:1 heads: "), HasSubstr("model.heads?")));
  EXPECT_THAT(error_of_text("sead = 4\n"), HasSubstr("Did you mean seed?"));
  EXPECT_THAT(error_of_text("[train]\nheads = 4\n"), HasSubstr("Did you mean model.heads?"));
  EXPECT_THAT(error_of_text("[train]\nxxxxxxxx = 4\n"), HasSubstr("The keys of [train] are restore_file"));
  EXPECT_THAT(error_of_text("xxxxxxxxxxx = 4\n"),
              HasSubstr("The sections are [data], [model], [language_model], [masked_lm], [speech], [train]"));
  EXPECT_THAT(error_of_set({"model.headz=4"}), AllOf(StartsWith("--set model.headz: "), HasSubstr("model.heads?")));
}

TEST(Load, AnUnknownSectionNamesTheNearest) {
  EXPECT_THAT(error_of_text("[modle]\nheads = 4\n"),
              AllOf(StartsWith("x.toml:1 modle: unknown section. "), HasSubstr("[model]?")));
  EXPECT_THAT(error_of_text("[modle]\n"), HasSubstr("[model]?"));
  EXPECT_THAT(error_of_text("[model.heads]\nx = 1\n"), AllOf(StartsWith("x.toml:1 model.heads"), HasSubstr("a table")));
  EXPECT_THAT(error_of_text("model = 4\n"), HasSubstr("is a section"));
  EXPECT_THAT(error_of_text("[[model]]\nheads = 4\n"), HasSubstr("is a section"));
  EXPECT_THAT(error_of_set({"model={heads=4}"}), HasSubstr("is a section"));
}

TEST(Load, AMistakeInAnIncludedFileIsBlamedThere) {
  const Folder folder;
  const auto base = folder.write("base.toml", "[model]\nwidth = 64\nheadz = 4\n");
  const auto file = folder.write("x.toml", "include = ['base.toml']\n");
  EXPECT_THAT(error_of([&] { load_config(file, {}); }), StartsWith(base.string() + ":3 model.headz: "));
}

TEST(Load, AWrongTypeSaysWhatItWantsAndWhatItGot) {
  EXPECT_THAT(
      error_of_text("[model]\nheads = '8'\n"),
      AllOf(StartsWith("x.toml:2 model.heads: wants an integer, not the text \"8\". "), HasSubstr("heads = 8")));
  EXPECT_THAT(error_of_text("[model]\nheads = 8.5\n"), HasSubstr("wants an integer, not the number 8.5"));
  EXPECT_THAT(error_of_text("[model]\nheads = [8]\n"), HasSubstr("wants an integer, not an array"));
  EXPECT_THAT(error_of_text("seed = 2020-01-01\n"), HasSubstr("not a date"));
  EXPECT_THAT(error_of_text("[model]\ndropout = true\n"), HasSubstr("wants a number, not true"));
  EXPECT_THAT(error_of_text("[model]\nscale_embedding = 1\n"), HasSubstr("wants true or false, not the integer 1"));
  EXPECT_THAT(error_of_text("[model]\nvariant = 1\n"), HasSubstr("wants text in quotes, not the integer 1"));
  EXPECT_THAT(error_of_text("[model]\nactivation = 1\n"), HasSubstr("wants one of relu, gelu, not the integer 1"));
  EXPECT_THAT(error_of_text("[model]\nfinal_norm = 'yes'\n"), HasSubstr("wants true, false, auto, not the text"));
  EXPECT_THAT(error_of_set({"model.heads=8x"}), HasSubstr("wants an integer, not the text \"8x\""));
}

TEST(Load, AnIntegerMustFitItsField) {
  EXPECT_THAT(error_of_set({"model.heads=3000000000"}), HasSubstr("3000000000 does not fit 32 bits"));
  EXPECT_EQ(load_overrides(Overrides{"seed=3000000000"}).seed, 3000000000);
  EXPECT_THAT(error_of_set({"seed=99999999999999999999"}), HasSubstr("--set seed: wants an integer"));
}

TEST(Load, AnUnknownWordNamesTheNearestAndAll) {
  EXPECT_THAT(error_of_text("[model]\nactivation = 'gelo'\n"),
              AllOf(StartsWith("x.toml:2 model.activation: there is no \"gelo\". "), HasSubstr("Did you mean gelu?"),
                    HasSubstr("The words are relu, gelu")));
  EXPECT_THAT(error_of_set({"model.norm=batchnorm"}),
              AllOf(HasSubstr("layer, rms, scale, dyt"), Not(HasSubstr("mean"))));
}

TEST(Load, AFileThatIsNotTomlNamesTheLine) {
  EXPECT_THAT(error_of_text("seed = 1\n[model]\nvariant = b2t\n"), StartsWith("x.toml:3: not valid TOML: "));
  EXPECT_THAT(error_of_text("seed = 1\nseed = 2\n"), StartsWith("x.toml:2: not valid TOML: "));
  EXPECT_THAT(error_of_text("a = '\xff\xfe'\n"), StartsWith("x.toml:1: not valid TOML: "));
  EXPECT_THAT(error_of_text(std::string(1 << 20, '#')), HasSubstr("so it is not a config"));
}

TEST(Load, ATowerOfTablesIsAnErrorAndNoCrash) {
  std::string dotted = "a";
  for (int i = 0; i < 100'000; ++i) dotted += ".a";
  EXPECT_NE(error_of_text(dotted + " = 1\n"), "");
  EXPECT_NE(error_of_set({"seed={" + dotted + "=1}"}), "");
  EXPECT_NE(error_of_text("a = " + std::string(100'000, '[')), "");
}

TEST(Load, AFileThatCannotBeReadSaysWhy) {
  const Folder folder;
  folder.write("tiny.toml", "");
  EXPECT_THAT(error_of([&] { load_config(folder.path() / "tinny.toml", {}); }),
              AllOf(HasSubstr("tinny.toml: there is no"), HasSubstr("/tiny.toml?")));
  EXPECT_THAT(error_of([&] { load_config("/no/such/file.toml", {}); }), HasSubstr("Check the path"));
  EXPECT_THAT(error_of([&] { load_config(folder.path(), {}); }), HasSubstr("is a directory"));
  const auto file = folder.write("x.toml", "\ninclude = ['tinny.toml']\n");
  EXPECT_THAT(error_of([&] { load_config(file, {}); }),
              AllOf(StartsWith(file.string() + ":2 include: there is no"), HasSubstr("/tiny.toml?")));
}

TEST(Load, IncludeIsAListOfNamesInAFile) {
  EXPECT_THAT(error_of_text("include = 'a.toml'\n"), StartsWith("x.toml:1 include: wants a list of file names"));
  EXPECT_THAT(error_of_text("include = [1]\n"), HasSubstr("wants a list of file names"));
  EXPECT_THAT(error_of_set({"include=['a.toml']"}), HasSubstr("only a file can include"));
}

TEST(Load, AnOverrideIsKeyEqualsValue) {
  EXPECT_THAT(error_of_set({"model.heads"}), AllOf(StartsWith("--set model.heads: "), HasSubstr("key=value")));
  EXPECT_THAT(error_of_set({"=4"}), HasSubstr("key=value"));
  // A line break cannot smuggle in a second key.
  EXPECT_THAT(error_of_set({"seed=1\nthreads=2"}), HasSubstr("wants an integer"));
}

// ---- all there is ----

TEST(Load, EveryRowIsAcceptedWithDefaults) {
  for (const Variant& row : variants()) {
    for (const std::string_view form : words<Form>()) {
      const Overrides overrides{"model.variant=" + std::string(row.name), "model.form=" + std::string(form)};
      EXPECT_EQ(error_of_set(overrides), "") << row.name << " " << form;
    }
  }
}

TEST(Load, EveryConfigOfTheProjectLoads) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(PLUMB_SOURCE_DIR "/configs")) {
    // Sweeps have keys of their own: tests/sweep/sweep_test.cpp loads them.
    if (entry.path().extension() != ".toml" || entry.path().parent_path().filename() == "sweep") continue;
    ++files;
    EXPECT_EQ(error_of([&] { load_config(entry.path(), {}); }), "");
    std::string first;
    std::ifstream in(entry.path());
    std::getline(in, first);
    EXPECT_THAT(first, StartsWith("# ")) << entry.path() << " should say what it is";
  }
  EXPECT_GE(files, 8);
}

TEST(Load, AStackOfAHybridHasItsOwnRow) {
  const Config config = load_config(PLUMB_SOURCE_DIR "/configs/model/hybrid_post_pre.toml", {});
  EXPECT_FALSE(stack_plan(config.model, Stack::Encoder).final_norm);
  EXPECT_TRUE(stack_plan(config.model, Stack::Decoder).final_norm);
  EXPECT_EQ(config.model.encoder_layers, 18);
  EXPECT_EQ(config.model.width, 512);  // from a file that the included one includes
}

// ---- hostile files ----

TEST(Load, IncludesThatDoubleAreCountedAndRefused) {
  const Folder folder;
  folder.write("0.toml", "seed = 1\n");
  for (int i = 1; i <= 30; ++i) {
    const std::string below = std::to_string(i - 1) + ".toml";
    folder.write(std::to_string(i) + ".toml", "include = ['" + below + "', '" + below + "']\n");
  }
  EXPECT_THAT(error_of([&] { load_config(folder.path() / "30.toml", {}); }),
              AllOf(HasSubstr("include: more than 200 files are included in all"), HasSubstr("Remove includes")));
  EXPECT_EQ(load_config(folder.path() / "6.toml", {}).seed, 1);  // 127 files
}

TEST(Load, APipeIsRefusedAtOnce) {
  const Folder folder;
  const auto pipe = folder.path() / "pipe.toml";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { load_config(pipe, {}); }), HasSubstr("this is a device or a pipe"));
  EXPECT_THAT(error_of([&] { load_config("/dev/zero", {}); }), HasSubstr("this is a device or a pipe"));
  const auto file = folder.write("a.toml", "include = ['pipe.toml']\n");
  EXPECT_THAT(error_of([&] { load_config(file, {}); }), HasSubstr("pipe.toml is a device or a pipe"));
}

TEST(Load, LongKeysAndValuesAreCutInMessages) {
  const std::string longer(200000, 'x');
  EXPECT_LT(error_of_text(longer + " = 1\n").size(), 3000u);
  EXPECT_LT(error_of_text("[model]\nvariant = \"" + longer + "\"\n").size(), 3000u);
  EXPECT_LT(error_of_text("seed = \"" + longer + "\"\n").size(), 3000u);
  EXPECT_LT(error_of_set({longer + "=1"}).size(), 3000u);
  EXPECT_LT(error_of_set({"model.variant=" + longer}).size(), 3000u);
}

TEST(Load, AnOverrideIsUtf8) {
  EXPECT_THAT(error_of_set({"data.cache=/tmp/\xff"}), HasSubstr("this is not UTF-8 text"));
  EXPECT_EQ(load_overrides(Overrides{"data.cache=/tmp/\xc3\xa9"}).data.cache, "/tmp/\xc3\xa9");
}

}  // namespace
}  // namespace plumb
