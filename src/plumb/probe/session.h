#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/config/sources.h"
#include "plumb/probe/examine.h"
#include "plumb/probe/forecast.h"
#include "plumb/probe/sample.h"

namespace plumb::probe {

/// What `plumb probe` is asked for.
struct Request {
  std::string what = {};                    // a .toml file, or the directory of a run
  std::vector<std::string> overrides = {};  // key=value, after the file
  std::vector<std::string> only = {};       // probes by name; empty: all cheap and medium ones, with a forecast
  std::vector<std::string> compare = {};    // variants in place of the config's; not for a run
  std::string checkpoint = "last";          // of a run: last, or the number of an update
};

/// One variant of the model: its measurements, and the forecast if they are enough for one.
struct ProbedVariant {
  Findings findings;
  std::optional<Forecast> forecast;
};

struct Results {
  std::string what;  // of the request
  Sample sample;
  std::vector<ProbedVariant> variants;
};

/// Is called with `done` 0 when a stage begins, and after each of its `steps`.
using OnProgress = std::function<void(std::string_view stage, uint64_t done, uint64_t steps)>;

/// Probes the model of a config file or of a run:
///
///     const probe::Results results = probe::Session({.what = "deep.toml"}).run();
///     std::cout << probe::in_words(*results.variants.front().forecast);
///
/// A corpus that the config names is prepared by the program `plumb`; without one random tokens do.
class Session {
 public:
  /// Checks the request and loads the config; measures nothing yet.
  explicit Session(Request request);

  /// The config before the data decides the sizes of its vocabularies. Threads and the path of operations are the
  /// caller's to set.
  const Config& config() const { return config_; }
  Results run(const OnProgress& on_progress = {}) const;

 private:
  struct Models;

  /// The configs to measure, one for each variant, and the sentences.
  Models models() const;
  Findings examined(const Config& config, const Sample& sample, const std::function<void()>& done) const;

  Request request_;
  bool of_run_;
  std::string file_;
  Sources sources_;
  Config config_;
  std::vector<const ProbeRow*> rows_;
};

}  // namespace plumb::probe
