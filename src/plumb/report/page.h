#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plumb::report {

/// Whether a page stands alone, or comes from `plumb watch` and may ask it, and nobody else, for newer data.
enum class PageKind { File, Served };

/// The whole page: one HTML file without a reference to anything outside it. Its Content-Security-Policy names the
/// hashes of its own scripts and style; nothing else runs or loads, whatever a run's texts contain.
std::string page_html(const nlohmann::json& data, PageKind kind);

/// The policy of such a page, as its <meta> element has it.
std::string content_security_policy(PageKind kind);

}  // namespace plumb::report
