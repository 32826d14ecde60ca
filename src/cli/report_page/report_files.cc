#include "cli/report_page/report_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cli/report_template/template.h"
#include "cli/terminal/output.h"
#include "kernel/files/whole_file.h"
#include "sim/page/course_plot.h"
#include "sim/page/front_plot.h"

namespace jettison {
namespace {

// A name that any file system takes: what is no letter, digit, dot, dash or underscore becomes "_".
std::string FileNameOf(std::string name) {
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return name.substr(0, 100);
}

std::string NameOfNode(const SimulationReport& report) {
  if (!report.facts.node.empty()) return report.facts.node;
  return std::filesystem::path(report.recording).filename().string();
}

// The number keeps nodes apart whose names become the same.
std::string PathOf(const std::string& folder, const PageInput& input, std::size_t node,
                   Signal signal) {
  const SimulationReport& report = input.reports[node];
  const std::string name = report.facts.node.empty() ? "node" : FileNameOf(report.facts.node);
  return fmt::format("{}/{:03}-{}-{}.svg", folder, node, name, NameOf(signal));
}

Result<void> WriteCourses(const std::string& folder, const PageInput& input, std::size_t node,
                          std::size_t policy) {
  const SimulationReport& report = input.reports[node];
  const NodeCourses& courses = input.courses[node];
  for (const Signal signal : PlottedSignals(report, courses)) {
    const std::string svg =
        CourseSvg({.title = fmt::format("{} of {}, {}", NameOf(signal), NameOfNode(report),
                                        report.outcomes[policy].name),
                   .signal = signal,
                   .course = courses[signal],
                   .lines = LinesOn(signal, report.policies[policy], courses.CapacityOf(signal)),
                   .evictions = report.outcomes[policy].evictions});
    if (auto written = WriteWholeFile(PathOf(folder, input, node, signal), svg); !written)
      return written;
  }
  return {};
}

}  // namespace

Result<void> WritePlots(const std::string& folder, const PageInput& input, std::size_t policy) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("cannot make {}: {}", folder, failed.message()));
  }
  for (std::size_t i = 0; i < input.reports.size(); ++i) {
    if (auto written = WriteCourses(folder, input, i, policy); !written) return written;
  }
  if (input.recommendation == nullptr) return {};
  return WriteWholeFile(folder + "/front.svg", FrontSvg(*input.recommendation));
}

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

}  // namespace jettison
