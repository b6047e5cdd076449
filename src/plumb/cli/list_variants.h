#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "plumb/catalogue/variants.h"

/// The table of variants for `plumb list variants`, as people, programs and docs/variants.md read it.
namespace plumb {

std::string variants_text();
std::string variants_markdown();
nlohmann::ordered_json variants_json();

/// One row with what it says about every sub-layer of an example model.
std::string variant_text(const Variant& row);
nlohmann::ordered_json variant_json(const Variant& row);

}  // namespace plumb
