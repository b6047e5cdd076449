#include "plumb/checkpoint/prune.h"

#include <algorithm>

#include "plumb/base/error.h"

namespace plumb {

void CheckpointPruner::prune(int64_t saved, int64_t newest, const std::vector<int64_t>& spared) {
  checkpoints_.remove_leftovers();
  whole_[saved] = true;  // written and synced just now
  if (newest <= 0) return;
  std::vector<int64_t> all = checkpoints_.updates();
  std::erase_if(all, [&](int64_t update) { return update > saved; });
  std::ranges::reverse(all);
  int64_t kept = 0;
  for (const int64_t update : all) {
    if (kept == newest) {
      if (std::ranges::find(spared, update) == spared.end()) checkpoints_.remove(update);
    } else if (is_whole(update)) {
      ++kept;
    }
  }
}

bool CheckpointPruner::is_whole(int64_t update) {
  const auto known = whole_.find(update);
  if (known != whole_.end()) return known->second;
  try {
    checkpoints_.check(update);
    return whole_[update] = true;
  } catch (const Error&) {
    return whole_[update] = false;
  }
}

}  // namespace plumb
