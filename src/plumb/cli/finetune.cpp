// plumb finetune CONFIG --from RUN [--seeds N] [--grid key=a,b]... [--checkpoints all] [--out DIR]

#include "plumb/sweep/finetune.h"

#include <string>

#include <CLI/CLI.hpp>

#include "plumb/base/jsonl.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/front.h"
#include "plumb/process/signals.h"

namespace plumb {

int finetune_command(int argc, char** argv) {
  sweep::FineTuning wanted;
  std::string out = "runs/finetune";
  bool json = false;
  CLI::App app;
  app.add_option("config", wanted.config, "the task to fine-tune for")->required();
  app.add_option("--from", wanted.from, "the pre-trained run")->required();
  app.add_option("--seeds", wanted.seeds, "runs of each setting")->capture_default_str()->check(CLI::Range(1, 10000));
  app.add_option("--grid", wanted.grid, "key=a,b,c: try each value, with those of every other --grid");
  app.add_option("--checkpoints", wanted.checkpoints, "best, last, all, or updates: 1000,2000")->capture_default_str();
  app.add_option("--out", out, "where the runs go; those that are there are not made again")->capture_default_str();
  app.add_option("--set", wanted.set, "key=value; may be repeated")->allow_extra_args(false);
  app.add_flag("--json", json, "for programs");
  if (!parse_arguments(app, argc, argv)) return 0;
  try {
    const sweep::FineTuned tuned = sweep::finetune(wanted, {.out = out});
    print(json ? to_json_line(tuned.runs) + '\n' : sweep::finetune_text(tuned));
    return 0;
  } catch (const Interrupted& interrupted) {
    return 128 + interrupted.signal;
  }
}

}  // namespace plumb
