#include "cli/report_page/report_options.h"

#include <CLI/CLI.hpp>

namespace jettison {

void AddReportOptions(CLI::App& command, std::string& html, std::string& svg) {
  command.add_option("--html", html, "also write a report, an HTML page, to this file")
      ->check(NotStandardOutput)
      ->type_name("FILE");
  command.add_option("--svg", svg, "also write the plots of that report into this folder")
      ->check(NotStandardOutput)
      ->type_name("DIR");
}

std::string NotStandardOutput(const std::string& path) {
  return path == "-" ? "must not be -, because standard output has the result" : "";
}

}  // namespace jettison
