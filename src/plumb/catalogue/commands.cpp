#include "plumb/catalogue/commands.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string>

#include "plumb/catalogue/metrics.h"

namespace plumb {
namespace {

using enum Command::Program;

// A summary names the rows of another table as {metrics}.
constexpr std::string_view kMetricsHere = "{metrics}";

// clang-format off
constexpr Command kCommands[] = {
    {"list", Front, "{variants,tasks,inits,norms,optimisers,schedules,metrics,probes,commands,config} [NAME] [--json | --markdown]", "print a table: every variant, task, initialisation, norm, optimiser, schedule, metric, probe, command or config key",
     "plumb list variants"},
    {"train", Engine, "CONFIG [--set key=value]... [--out RUN] [--resume] [--dry-run]", "train a model into a run directory; --dry-run: only show what the configuration comes to",
     "plumb train configs/task/numbers.toml --set model.variant=b2t --out runs/b2t"},
    {"generate", Engine, "RUN [--set generate.key=value]... < source > output", "answer lines with a trained model: translations, summaries, transcripts, labels, or how a text goes on",
     "plumb generate runs/b2t --beam 5 < test.en > test.out"},
    {"evaluate", Engine, "RUN [--split test] [--metric NAME]... [--set key=value]... [--json]", "the loss of a trained model on a split, perplexities, and the score of its outputs",
     "plumb evaluate runs/lm --split test"},
    {"finetune", Front, "CONFIG --from RUN [--seeds N] [--grid key=a,b]... [--checkpoints all] [--out DIR]", "fine-tune a pre-trained run over a grid of settings, seeds or its checkpoints: means with intervals",
     "plumb finetune configs/task/mrpc.toml --from runs/bert --seeds 6 --grid optim.lr=1e-4,3e-4"},
    {"sweep", Front, "SWEEP.toml [--out DIR] [--cores N] [--set key=value]... [--dry-run] [--json]", "train many runs that differ in a grid or list of settings and in seeds, resumably: means, failures, heat maps, paired comparisons",
     "plumb sweep configs/sweep/warmup.toml --out runs/warmup"},
    {"probe", Engine, "CONFIG_OR_RUN [--set key=value]... [--only a,b] [--compare v,v] [--out DIR] [--json]", "measure a model before it is trained (or a run's), and say whether it will train, and how",
     "plumb probe configs/model/deep.toml --compare post_ln,pre_ln,b2t,admin"},
    {"reproduce", Front, "[ID...] [--list | --render [--check]] [--out DIR] [--cores N] [--json]", "the figures and tables of the papers on a desk: what is expected, what comes out, and whether they agree",
     "plumb reproduce X-F2a"},
    {"prepare", Front, "CONFIG [--set key=value]...", "train vocabularies and tokenise the corpus into the cache, once",
     "plumb prepare configs/task/numbers.toml"},
    {"inspect", Front, "FILE [--json]", "list the tensors of a .safetensors file",
     "plumb inspect model.safetensors"},
    {"score", Front, "METRIC --ref FILE... [--hyp FILE] [--baseline FILE | --confidence] | METRIC --set REF HYP... [--json]",
     "score lines against references: {metrics}",
     "plumb score bleu --ref test.de < output.de"},
    {"text", Front, "{train,dictionary,encode,decode,vocab,serve} ...", "train a tokeniser; turn text into pieces or ids and back",
     "plumb text train --input train.en train.de --model joint.model --vocab-size 8000"},
    {"report", Front, "FOLDER... [-o report.html] [--json]", "one page of runs and probes: curves, layers, spectra, verdicts, outputs; opens in any browser, without a network",
     "plumb report runs/* -o report.html"},
    {"watch", Front, "FOLDER... [--port N] [-o FILE]", "the same page while runs train: served to this machine's browser only, or a file that is written again and again",
     "plumb watch runs/b2t"},
    {"demo", Engine, "[--starts] [--set key=value]... [--out DIR]", "train a deep model in four ways on built-in data: which of them learn? --starts: how every variant starts",
     "plumb demo"},
    {"help", Front, "[COMMAND [PART]] [--man | --completion]", "show the commands, or the arguments of one; --man, --completion: print the man page, the bash completion",
     "plumb help train"},
};
// clang-format on

std::string with_names(std::string_view summary) {
  std::string names;
  for (const std::string_view name : metric_names()) names += (names.empty() ? "" : ", ") + std::string(name);
  return std::string(summary).replace(summary.find(kMetricsHere), kMetricsHere.size(), names);
}

std::array<Command, std::size(kCommands)> filled_in() {
  static std::deque<std::string> texts;  // the rows point into them
  auto rows = std::to_array(kCommands);
  for (Command& row : rows) {
    if (row.summary.find(kMetricsHere) == std::string_view::npos) continue;
    row.summary = texts.emplace_back(with_names(row.summary));
  }
  return rows;
}

}  // namespace

std::span<const Command> commands() {
  static const auto kRows = filled_in();
  return kRows;
}

const Command* find_command(std::string_view name) {
  const auto row = std::ranges::find(commands(), name, &Command::name);
  return row == commands().end() ? nullptr : &*row;
}

}  // namespace plumb
