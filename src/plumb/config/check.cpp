#include "plumb/config/check.h"

namespace plumb {

void check(const Config& config, const Sources& sources) {
  check_numbers(config, sources);  // first: the rows compute with sizes
  check_rows(config.model, sources);
  check_optim(config.optim, sources);
  check_schedule(config, sources);
  check_run(config, sources);
}

}  // namespace plumb
