#include "cli/report_page/report_options.h"

#include <CLI/CLI.hpp>

namespace jettison {

void AddReportOption(CLI::App& command, std::string& html) {
  command.add_option("--html", html, "also write a report, an HTML page, to this file")
      ->check(NotStandardOutput)
      ->type_name("FILE");
}

std::string NotStandardOutput(const std::string& path) {
  return path == "-" ? "must not be -, because standard output has the result" : "";
}

}  // namespace jettison
