// plumb report RUN_OR_PROBE_DIR... -o report.html: what runs and probes left behind, as one page.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/atomic_file.h"
#include "plumb/base/to_stderr.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/front.h"
#include "plumb/report/page.h"
#include "plumb/report/page_data.h"
#include "plumb/report/shown_folders.h"

namespace plumb {

int report_command(int argc, char** argv) {
  std::vector<std::string> folders;
  std::string out = "report.html";
  bool json = false;
  CLI::App app;
  app.add_option("FOLDER", folders, "run directories, folders of `plumb probe --out`, sweeps, or folders of these")
      ->required();
  app.add_option("-o,--out", out, "the page")->capture_default_str();
  app.add_flag("--json", json, "print the page's data instead, for programs");
  if (!parse_arguments(app, argc, argv)) return 0;

  const report::ShownFolders shown = report::find_shown_folders(folders);
  if (!json) report::refuse_to_overwrite(shown, out);
  const nlohmann::json data = report::page_data(shown);
  if (json) {
    print(report::to_script_json(data) + '\n');
    return 0;
  }
  const std::string page = report::page_html(data, report::PageKind::File);
  write_whole(out, page);
  to_stderr("{}: runs {}, probes {}, sweeps {}; {:.1f} MB\n", out, data["runs"].size(), data["probes"].size(),
            data["sweeps"].size(), static_cast<double>(page.size()) / 1e6);
  return 0;
}

}  // namespace plumb
