#include "plumb/report/followed_folders.h"

#include <utility>

#include "plumb/report/shown_folders.h"

namespace plumb::report {
namespace {

std::string state_of_all(const ShownFolders& folders) {
  std::string state;
  for (const auto* some : {&folders.runs, &folders.probes, &folders.sweeps}) {
    for (const NamedFolder& folder : *some) state += state_of(folder);
  }
  return state;
}

}  // namespace

FollowedFolders::FollowedFolders(std::vector<std::string> given) : given_(std::move(given)) {}

bool FollowedFolders::refresh() {
  const ShownFolders folders = find_shown_folders(given_);
  // Before the reading: what is written while we read is a change for the next time.
  std::string state = state_of_all(folders);
  if (state == seen_) return false;
  data_ = page_data(folders, &read_);
  seen_ = std::move(state);
  return true;
}

}  // namespace plumb::report
