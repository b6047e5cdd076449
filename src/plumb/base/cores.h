#pragma once

namespace plumb {

/// How many cores this process may use: those of its affinity mask (taskset, containers), not all of the machine.
int usable_cores();

}  // namespace plumb
