#pragma once

#include <nlohmann/json_fwd.hpp>

#include "plumb/report/run_data.h"
#include "plumb/runs/run_log.h"

namespace plumb::report {

/// Every number of the train and valid records over the updates, as "train.loss" or "valid.bleu", reduced to what a
/// page can draw.
nlohmann::json curves_data(const RunLog& log, const PageBudget& budget);

/// Gradient norms per sub-layer over the updates, at most `cells` of them; null if there are none.
nlohmann::json gradients_data(const RunLog& log, size_t cells);

}  // namespace plumb::report
