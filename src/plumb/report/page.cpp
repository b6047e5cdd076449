#include "plumb/report/page.h"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/sha256.h"
#include "plumb/report/assets.h"
#include "plumb/report/page_data.h"

namespace plumb::report {
namespace {

std::string base64_of_hex(const std::string& hex) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bits = bits << 8 | static_cast<uint32_t>(std::stoul(hex.substr(i, 2), nullptr, 16));
    for (count += 8; count >= 6; count -= 6) text += kDigits[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kDigits[bits << (6 - count) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string hash_of(std::string_view text) {
  return fmt::format("'sha256-{}'", base64_of_hex(sha256_hex(text)));
}

std::string style() {
  return fmt::format("{}\n{}", asset("uPlot.min.css"), asset("report.css"));
}

/// Puts texts in the places of a template. What is put in is not looked at again: data may contain anything.
std::string filled(std::string_view page, std::span<const std::pair<std::string_view, std::string>> places) {
  std::string result;
  for (const auto& [place, text] : places) {
    const size_t at = page.find(place);
    if (at == std::string_view::npos) throw std::logic_error(fmt::format("page.html has no {}", place));
    result += page.substr(0, at);
    result += text;
    page.remove_prefix(at + place.size());
  }
  return result.append(page);
}

}  // namespace

std::string content_security_policy(PageKind kind) {
  return fmt::format(
      "default-src 'none'; script-src {} {}; style-src {}; img-src data: blob:; base-uri 'none'; form-action 'none'{}; "
      "require-trusted-types-for 'script'",
      hash_of(asset("uPlot.iife.min.js")), hash_of(asset("report.js")), hash_of(style()),
      kind == PageKind::Served ? "; connect-src 'self'" : "");
}

std::string page_html(const nlohmann::json& data, PageKind kind) {
  // In the order in which they stand in page.html.
  const std::array<std::pair<std::string_view, std::string>, 7> places = {
      {{"{{policy}}", content_security_policy(kind)},
       {"{{style}}", style()},
       {"{{kind}}", kind == PageKind::Served ? "served" : "file"},
       {"{{data}}", to_script_json(data)},
       {"{{licence}}", std::string(asset("uPlot LICENSE"))},
       {"{{uplot}}", std::string(asset("uPlot.iife.min.js"))},
       {"{{script}}", std::string(asset("report.js"))}}};
  return filled(asset("page.html"), places);
}

}  // namespace plumb::report
