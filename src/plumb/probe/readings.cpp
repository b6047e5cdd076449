#include "plumb/probe/readings.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <nlohmann/json.hpp>

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

nlohmann::ordered_json to_json(const Reading& reading) {
  nlohmann::ordered_json json = {{"number", reading.number}};
  for (const auto& [name, value] : reading.labels) json[name] = value;
  if (!reading.axis.empty()) json[reading.axis] = reading.at;
  json["value"] = reading.value;
  return json;
}

nlohmann::ordered_json to_json(const Curve& curve) {
  nlohmann::ordered_json json = {{"number", curve.number}};
  for (const auto& [name, value] : curve.labels) json[name] = value;
  if (!curve.axis.empty()) {
    json["axis"] = curve.axis;
    json["at"] = curve.places();
  }
  const auto column = [&](const char* name, double Summary::*field) {
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    for (const Curve::Point& point : curve.points) values.push_back(point.over_seeds.*field);
    json[name] = std::move(values);
  };
  column("mean", &Summary::mean);
  column("deviation", &Summary::deviation);
  column("low", &Summary::low);
  column("high", &Summary::high);
  json["seeds"] = curve.points.empty() ? 0 : curve.points.front().over_seeds.count;
  return json;
}

}  // namespace plumb::probe
