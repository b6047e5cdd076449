#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plumb::report {

/// How much of a run a page takes.
struct PageBudget {
  size_t points = 1000;            // of a curve
  size_t gradient_cells = 150000;  // of a heat map: updates times sub-layers
  size_t sample_bytes = 640000;    // of outputs, sources and references
};

/// Less of each run where there are many, so that a page stays small enough to send and to open.
PageBudget budget_for(size_t runs);

/// Everything that the page shows of one run directory (docs/report.md has the form). Reads config.toml and log.jsonl;
/// what is damaged or missing is said in "problems", not thrown.
nlohmann::json run_data(const std::filesystem::path& run, const std::string& name, const PageBudget& budget);

/// To six digits: what a picture can show. Numbers that are not finite stay as they are.
double shown(double value);

}  // namespace plumb::report
