#include "plumb/base/cores.h"

#include <algorithm>

#include <sched.h>

namespace plumb {

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof(set), &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

}  // namespace plumb
