#include "plumb/probe/readings.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace plumb::probe {

std::string Curve::label(const std::string& key) const {
  for (const auto& [name, value] : labels) {
    if (name == key) return value;
  }
  return "";
}

std::vector<double> Curve::places() const {
  std::vector<double> result;
  for (const Point& point : points) result.push_back(point.at);
  return result;
}

std::vector<double> Curve::means() const {
  std::vector<double> result;
  for (const Point& point : points) result.push_back(point.over_seeds.mean);
  return result;
}

std::vector<Curve> curves(const std::vector<Readings>& by_seed) {
  struct Gathered {
    size_t order;
    std::map<double, std::vector<double>> values;
  };
  std::map<std::tuple<std::string, Labels, std::string>, Gathered> gathered;
  for (const Readings& readings : by_seed) {
    for (const Reading& one : readings.all()) {
      const auto [found, is_new] =
          gathered.try_emplace({one.number, one.labels, one.axis}, Gathered{gathered.size(), {}});
      found->second.values[one.at].push_back(one.value);
    }
  }
  std::vector<Curve> result(gathered.size());
  for (const auto& [key, one] : gathered) {
    Curve& curve = result[one.order];
    std::tie(curve.number, curve.labels, curve.axis) = key;
    for (const auto& [at, values] : one.values) curve.points.push_back({at, summarise(values)});
  }
  return result;
}

const Curve* find_curve(const std::vector<Curve>& all, const std::string& number, const Labels& labels) {
  const auto fits = [&](const Curve& curve) {
    return curve.number == number &&
           std::ranges::all_of(labels, [&](const auto& label) { return curve.label(label.first) == label.second; });
  };
  const auto found = std::ranges::find_if(all, fits);
  return found == all.end() ? nullptr : &*found;
}

ReadingRecord record_of(const Reading& reading) {
  ReadingRecord record;
  record.number = reading.number;
  record.labels = {reading.labels.begin(), reading.labels.end()};
  if (!reading.axis.empty()) record.place[reading.axis] = reading.at;
  record.value = reading.value;
  return record;
}

CurveRecord record_of(const Curve& curve) {
  CurveRecord record;
  record.number = curve.number;
  record.labels = {curve.labels.begin(), curve.labels.end()};
  if (!curve.axis.empty()) {
    record.axis = curve.axis;
    record.at = curve.places();
  }
  for (const Curve::Point& point : curve.points) {
    record.mean.push_back(point.over_seeds.mean);
    record.deviation.push_back(point.over_seeds.deviation);
    record.low.push_back(point.over_seeds.low);
    record.high.push_back(point.over_seeds.high);
  }
  record.seeds = curve.points.empty() ? 0 : static_cast<int64_t>(curve.points.front().over_seeds.count);
  return record;
}

}  // namespace plumb::probe
