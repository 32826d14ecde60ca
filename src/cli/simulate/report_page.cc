#include <CLI/CLI.hpp>

#include "cli/report_template/template.h"
#include "cli/simulate/simulate.h"
#include "cli/terminal/options.h"
#include "kernel/files/whole_file.h"
#include "sim/page/page_data.h"

namespace jettison {

void CheckOutputs(const std::string& out, const std::string& html,
                  const std::vector<std::string>& inputs, CommandFaults& faults) {
  faults.Add(WhyDataWouldBeLost({{"--out", out}, {"--html", html}}, inputs));
  if (!html.empty() && TemplateOfReport().before.empty()) {
    faults.Add("--html: this program was built without its pages (-DJETTISON_DASHBOARD=OFF)");
  }
}

Result<void> WriteReportPage(const std::string& path, const std::vector<SimulationReport>& reports,
                             const Recommendation* recommendation) {
  const ReportTemplate page = TemplateOfReport();
  WholeFile file(path);
  const bool written =
      file.Add(page.before) && file.Add(PageData(reports, recommendation)) && file.Add(page.after);
  (void)written;  // PutInPlace tells what failed
  if (auto placed = file.PutInPlace(); !placed) return placed;
  const std::size_t all = reports.size();
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
      ->check([](const std::string& path) -> std::string {
        return path == "-" ? "must not be -, because standard output has the result" : "";
      })
      ->type_name("FILE");
}

}  // namespace jettison
