// plumb watch FOLDER... [--port N] [-o FILE]: the page of `plumb report` while runs train. Ctrl-C ends it.

#include <csignal>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/sha256.h"
#include "plumb/base/to_stderr.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/front.h"
#include "plumb/report/followed_folders.h"
#include "plumb/report/loopback_server.h"
#include "plumb/report/page.h"
#include "plumb/report/page_data.h"
#include "plumb/report/shown_folders.h"

namespace plumb {
namespace {

constexpr int kPauseMilliseconds = 2000;

/// Readable when the user wants to stop.
FileDescriptor end_of_patience() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  return FileDescriptor(::signalfd(-1, &signals, SFD_CLOEXEC));
}

// A folder that goes away for a moment does not end it: the page stays as it was.
bool refreshed(report::FollowedFolders& folders) {
  try {
    return folders.refresh();
  } catch (const UserError& error) {
    to_stderr("plumb: {}\n", error.what());
    return false;
  }
}

void rewrite(report::FollowedFolders& folders, const std::string& out, const FileDescriptor& stop) {
  to_stderr("writing {} when something changes; Ctrl-C ends it\n", out);
  write_whole(out, report::page_html(folders.data(), report::PageKind::File));
  for (pollfd waiting{stop.get(), POLLIN, 0}; ::poll(&waiting, 1, kPauseMilliseconds) == 0;) {
    if (refreshed(folders)) write_whole(out, report::page_html(folders.data(), report::PageKind::File));
  }
}

void serve(report::FollowedFolders& folders, int port, const FileDescriptor& stop) {
  std::string json, tag;
  const auto render = [&] {
    json = report::to_script_json(folders.data());
    tag = fmt::format("\"{}\"", sha256_hex(json).substr(0, 16));
  };
  render();
  report::LoopbackServer server(port, [&](report::Resource resource) {
    if (refreshed(folders)) render();
    const std::string policy = report::content_security_policy(report::PageKind::Served);
    if (resource == report::Resource::Data) return report::HttpBody{json, "application/json", tag, policy};
    return report::HttpBody{report::page_html(folders.data(), report::PageKind::Served), "text/html; charset=utf-8",
                            tag, policy};
  });
  to_stderr("http://127.0.0.1:{}/ shows it, on this machine only; Ctrl-C ends it\n", server.port());
  server.serve(stop);
}

}  // namespace

int watch_command(int argc, char** argv) {
  std::vector<std::string> given;
  std::string out;
  int port = 0;
  CLI::App app;
  app.add_option("FOLDER", given, "run directories, sweeps, or folders of these")->required();
  CLI::Option* port_option = app.add_option("--port", port, "where it is served; without it a free port");
  port_option->check(CLI::Range(0, 65535));
  app.add_option("-o,--out", out, "write the page to a file instead, again whenever a log has changed")
      ->excludes(port_option);
  if (!parse_arguments(app, argc, argv)) return 0;

  if (!out.empty()) report::refuse_to_overwrite(report::find_shown_folders(given), out);
  report::FollowedFolders folders(given);
  folders.refresh();
  const FileDescriptor stop = end_of_patience();
  if (out.empty()) {
    serve(folders, port, stop);
  } else {
    rewrite(folders, out, stop);
  }
  return 0;
}

}  // namespace plumb
