#pragma once

#include <string_view>

namespace jettison {

// The page that shows a report, in the two pieces around its data. Both are empty in a build
// without the dashboard.
struct ReportTemplate {
  std::string_view before;
  std::string_view after;
};
[[nodiscard]] ReportTemplate TemplateOfReport();

}  // namespace jettison
