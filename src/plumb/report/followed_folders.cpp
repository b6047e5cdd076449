#include "plumb/report/followed_folders.h"

#include <utility>

#include "plumb/runs/sources.h"

namespace plumb {
namespace {

std::string state_of_all(const PageSources& sources) {
  std::string state;
  for (const auto* folders : {&sources.runs, &sources.probes, &sources.sweeps}) {
    for (const NamedFolder& folder : *folders) state += state_of(folder);
  }
  return state;
}

}  // namespace

FollowedFolders::FollowedFolders(std::vector<std::string> given) : given_(std::move(given)) {}

bool FollowedFolders::refresh() {
  const PageSources sources = find_sources(given_);
  // Before the reading: what is written while we read is a change for the next time.
  std::string state = state_of_all(sources);
  if (state == seen_) return false;
  data_ = page_data(sources, &read_);
  seen_ = std::move(state);
  return true;
}

}  // namespace plumb
