#include "plumb/probe/lanczos_file.h"

#include <fstream>

#include <nlohmann/json.hpp>

#include "plumb/base/atomic_file.h"

namespace plumb::probe {

Lanczos::State LanczosFile::load() const {
  std::ifstream stream(file_);
  if (file_.empty() || !stream) return {};
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("identity", "") != identity_) return {};
  return {json.at("alpha").get<std::vector<double>>(), json.at("beta").get<std::vector<double>>(),
          json.at("exhausted").get<bool>()};
}

void LanczosFile::save(const Lanczos::State& state) const {
  if (file_.empty()) return;
  const nlohmann::json json = {
      {"identity", identity_}, {"alpha", state.alpha}, {"beta", state.beta}, {"exhausted", state.exhausted}};
  write_whole(file_, json.dump());
}

}  // namespace plumb::probe
