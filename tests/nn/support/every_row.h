#pragma once

#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "plumb/catalogue/variants.h"

#include "support/models.h"

namespace plumb::test {

/// A test that every row of the table must pass, in each of the three forms.
class EveryRow : public ::testing::TestWithParam<std::tuple<std::string_view, Form>> {
 protected:
  std::string variant() const { return std::string(std::get<0>(GetParam())); }
  Form form() const { return std::get<1>(GetParam()); }
  ModelConfig config() const { return tiny(form(), variant()); }
};

inline std::string row_name(const ::testing::TestParamInfo<std::tuple<std::string_view, Form>>& info) {
  return case_name(std::string(std::get<0>(info.param)), std::get<1>(info.param));
}

inline auto every_row(std::vector<Form> forms = {std::begin(kForms), std::end(kForms)}) {
  const auto names = variant_names();
  return ::testing::Combine(::testing::ValuesIn(names.begin(), names.end()), ::testing::ValuesIn(forms));
}

}  // namespace plumb::test
