#pragma once

#include "plumb/config/config.h"
#include "plumb/config/sources.h"

namespace plumb {

/// Throws UserError at the first value or combination that no model can have, naming the line of the key to change.
/// load_config() calls it; a program that fills a Config by itself should, too. `stack_plan()` may be called
/// afterwards.
void check(const Config& config, const Sources& sources = {});

/// Its parts: numbers on their own and against each other, what the rows of the tables demand, the two sections
/// that say how the parameters move, and those that say what a run reads and does.
void check_numbers(const Config& config, const Sources& sources);
void check_rows(const ModelConfig& model, const Sources& sources);
void check_optim(const OptimConfig& optim, const Sources& sources);
void check_schedule(const Config& config, const Sources& sources);
void check_run(const Config& config, const Sources& sources);

}  // namespace plumb
