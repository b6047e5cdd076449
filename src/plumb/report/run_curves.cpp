#include "plumb/report/run_curves.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/report/thinned_series.h"
#include "plumb/runs/record_json.h"

namespace plumb::report {
namespace {

using nlohmann::json;

// ---- curves ----

// Numbers that say where a record stands, for which the page has `update`; how batches were filled; and of validations
// the part of the loss that the perplexity says as well.
const std::set<std::string_view>& left_out(const TrainRecord&) {
  static const std::set kKeys = {key_of(&TrainRecord::epoch), key_of(&TrainRecord::tokens), key_of(&TrainRecord::wpb),
                                 key_of(&TrainRecord::rows), key_of(&TrainRecord::fill)};
  return kKeys;
}

const std::set<std::string_view>& left_out(const ValidRecord&) {
  static const std::set kKeys = {key_of(&ValidRecord::epoch), key_of(&ValidRecord::nll)};
  return kKeys;
}

/// "train.loss"
std::string curve_name(Number TrainRecord::*member) {
  return fmt::format("{}.{}", TrainRecord::kType, key_of(member));
}

/// By key, of one type of record.
using SeriesByKey = std::map<std::string, Series, std::less<>>;

Series& series_of(SeriesByKey& curves, std::string_view key) {
  const auto found = curves.find(key);
  return found != curves.end() ? found->second : curves[std::string(key)];
}

// Later points stand later; where an update was not finite, its interval's mean over the others may stand as well. An
// event and the record of its interval may say of one update that it was not finite: that is one value.
void add_point(Series& series, double update, double value) {
  if (!series.x.empty()) {
    if (update < series.x.back()) return;
    if (update == series.x.back() && (std::isfinite(series.y.back()) || !std::isfinite(value))) return;
  }
  series.x.push_back(update);
  series.y.push_back(value);
}

// The means of train records leave updates out that were not finite: their events say so.
void add_nonfinite(SeriesByKey& train, const NonfiniteEvent& event) {
  const auto update = static_cast<double>(event.update + 1);  // it counts from 0, as the step that failed
  const auto add = [&](Number TrainRecord::*curve, const Number& value) {
    if (value && !std::isfinite(*value)) add_point(series_of(train, key_of(curve)), update, *value);
  };
  add(&TrainRecord::loss, event.loss);
  add(&TrainRecord::nll, event.loss);  // an event does not have it: it is lost with the loss
  add(&TrainRecord::gnorm, event.gnorm);
}

template <class Record>
void add_points(SeriesByKey& curves, const Record& record) {
  const std::set<std::string_view>& others = left_out(record);
  for_each_number(record, [&](std::string_view key, double value) {
    if (!others.contains(key)) add_point(series_of(curves, key), static_cast<double>(record.update), value);
  });
}

/// Every other number of the train and valid records, as "train.loss" or "valid.bleu".
std::map<std::string, Series> curves_of(const RunLog& log) {
  SeriesByKey of_train, of_valid;
  for (const LogRecord& record : log.records) {
    if (const auto* train = std::get_if<TrainRecord>(&record)) add_points(of_train, *train);
    if (const auto* valid = std::get_if<ValidRecord>(&record)) add_points(of_valid, *valid);
    if (const auto* event = std::get_if<NonfiniteEvent>(&record)) add_nonfinite(of_train, *event);
  }
  std::map<std::string, Series> curves;
  const auto add = [&](std::string_view type, SeriesByKey& of_type) {
    for (auto& [key, series] : of_type) curves[fmt::format("{}.{}", type, key)] = std::move(series);
  };
  add(TrainRecord::kType, of_train);
  add(ValidRecord::kType, of_valid);
  return curves;
}

/// Updates as differences: three characters a point instead of six.
class Differences {
 public:
  void add(double x) {
    list_.push_back(static_cast<int64_t>(x - before_));
    before_ = x;
  }
  json take() { return std::move(list_); }

 private:
  json list_ = json::array();
  double before_ = 0;
};

json as_json(const ThinnedSeries& series) {
  Differences dx;
  json y = json::array(), gaps = json::array();
  for (const double x : series.x) dx.add(x);
  for (const double value : series.y) y.push_back(shown(value));
  for (const auto& gap : series.gaps) gaps.push_back({gap.from, gap.to, gap.value, gap.count});
  json result = {{"dx", dx.take()}, {"y", std::move(y)}, {"logged", series.logged}};
  if (!gaps.empty()) result["gaps"] = std::move(gaps);
  return result;
}

json as_json(const std::vector<ThinnedSeries::Mean>& means) {
  Differences dx;
  json y = json::array(), counts = json::array();
  for (const auto& mean : means) {
    dx.add(mean.x);
    y.push_back(shown(mean.value));
    counts.push_back(mean.count);
  }
  return {{"dx", dx.take()}, {"y", std::move(y)}, {"counts", std::move(counts)}};
}

/// The curves that the page can smooth. Others go without the means, which are a third of a curve's size.
bool can_be_smoothed(const std::string& curve) {
  static const std::set kNoisy = {curve_name(&TrainRecord::loss), curve_name(&TrainRecord::nll),
                                  curve_name(&TrainRecord::gnorm), curve_name(&TrainRecord::wps)};
  return kNoisy.contains(curve);
}

// ---- gradients per sub-layer ----

// The order of a picture: encoder before decoder, layer 2 before layer 10, and in a layer from below.
std::tuple<bool, std::string, int64_t, int> place_of(const std::string& name) {
  const size_t at = name.find(".layers.");
  if (at == std::string::npos) return {true, name, 0, 0};
  const int within = name.ends_with(".self_attn") ? 0 : name.ends_with(".encoder_attn") ? 1 : 2;
  return {!name.starts_with("encoder"), name.substr(0, at), std::atoll(name.c_str() + at + 8), within};
}

constexpr size_t kLeastColumns = 12, kMostColumns = 160;

}  // namespace

json curves_data(const RunLog& log, const PageBudget& budget) {
  json result = json::object();
  for (const auto& [name, series] : curves_of(log)) {
    // What nobody looks for peaks in: the speed, and the learning rate, which is smooth.
    const bool plain = name == curve_name(&TrainRecord::wps) || name == curve_name(&TrainRecord::lr);
    const ThinnedSeries kept = thinned(series, plain ? budget.points / 3 : budget.points);
    result[name] = as_json(kept);
    if (kept.is_thinned() && can_be_smoothed(name)) result[name]["means"] = as_json(kept.means);
  }
  return result;
}

// As long as that leaves enough updates to see anything.
json gradients_data(const RunLog& log, size_t cells) {
  std::vector<const GradientsRecord*> found = log.all<GradientsRecord>();
  std::erase_if(found, [](const GradientsRecord* record) { return record->norms.empty(); });
  if (found.empty()) return nullptr;
  std::vector<std::string> names;
  for (const auto& [name, value] : found.back()->norms) names.push_back(name);
  std::ranges::stable_sort(names, {}, place_of);
  // Every k-th record and the last: a norm is one update's anyway.
  json updates = json::array(), norms = json::array();
  const size_t columns = std::clamp(cells / std::max<size_t>(1, names.size()), kLeastColumns, kMostColumns);
  const size_t step = (found.size() + columns - 1) / columns;
  for (size_t i = 0; i < found.size(); ++i) {
    if (i % step != 0 && i + 1 != found.size()) continue;
    updates.push_back(found[i]->update);
    json column = json::array();
    for (const std::string& name : names) {
      const auto norm = found[i]->norms.find(name);
      column.push_back(norm == found[i]->norms.end() ? json(nullptr) : json(shown(norm->second)));
    }
    norms.push_back(std::move(column));
  }
  return {{"names", names}, {"updates", std::move(updates)}, {"norms", std::move(norms)}, {"logged", found.size()}};
}

}  // namespace plumb::report
