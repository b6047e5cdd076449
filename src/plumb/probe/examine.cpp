#include "plumb/probe/examine.h"

#include <chrono>
#include <limits>

#include "plumb/base/clock.h"

namespace plumb::probe {

const Curve* Findings::curve(const std::string& probe, const std::string& number, const Labels& labels) const {
  for (const Finding& finding : all) {
    if (finding.row->name == probe) return find_curve(finding.means, number, labels);
  }
  return nullptr;
}

double Findings::number(const std::string& probe, const std::string& number, const Labels& labels) const {
  const Curve* found = curve(probe, number, labels);
  return found && !found->points.empty() ? found->points.back().over_seeds.mean
                                         : std::numeric_limits<double>::quiet_NaN();
}

Findings examine(const Subject& first, const std::vector<const ProbeRow*>& rows, const std::function<void()>& done) {
  Findings findings{first.model().variant, first.config(), {}};
  const int64_t seeds = first.trained() ? 1 : first.config().probe.seeds;
  for (const ProbeRow* row : rows) {
    const auto start = std::chrono::steady_clock::now();
    const Probe& probe = probe_of(*row);
    Finding finding{row, {}, {}};
    for (int64_t i = 0; i < seeds; ++i) {
      probe.measure(first.with_seed(first.seed() + static_cast<uint64_t>(i)), finding.by_seed.emplace_back());
      done();
    }
    finding.means = curves(finding.by_seed);
    if (probe.conclude) {
      Readings conclusions;
      probe.conclude(finding.means, conclusions);
      for (Curve& curve : curves({conclusions})) finding.means.push_back(std::move(curve));
    }
    finding.seconds = seconds_since(start);
    findings.all.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace plumb::probe
