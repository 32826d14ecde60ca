#include "cli/report_page/report_page.h"

#include <CLI/CLI.hpp>

#include "cli/report_template/template.h"
#include "cli/terminal/output.h"
#include "kernel/files/whole_file.h"

namespace jettison {

Result<void> HasReportPage() {
  if (!TemplateOfReport().before.empty()) return {};
  return Fail(ErrorCode::kUnavailable,
              "--html: this program was built without its pages (-DJETTISON_DASHBOARD=OFF)");
}

Result<void> WriteReportPage(const std::string& path, const PageInput& input) {
  if (const auto has = HasReportPage(); !has) return Fail(has.error());
  const ReportTemplate page = TemplateOfReport();
  WholeFile file(path);
  const bool written = file.Add(page.before) && file.Add(PageData(input)) && file.Add(page.after);
  (void)written;  // PutInPlace tells what failed
  if (auto placed = file.PutInPlace(); !placed) return placed;
  const std::size_t all = input.reports.size();
  if (all > kMostDetailed) {
    PrintError(
        "jettison: {} has the curves and evictions of the {} recordings with the most evictions, "
        "and of the other {} what each policy costs\n",
        path, kMostDetailed, all - kMostDetailed);
  }
  return {};
}

void AddReportOption(CLI::App& command, std::string& html) {
  command.add_option("--html", html, "also write a report, an HTML page, to this file")
      ->check(NotStandardOutput)
      ->type_name("FILE");
}

std::string NotStandardOutput(const std::string& path) {
  return path == "-" ? "must not be -, because standard output has the result" : "";
}

}  // namespace jettison
