#include "cli/report_page/report_options.h"

#include <CLI/CLI.hpp>

namespace jettison {

void AddReportOptions(CLI::App& command, std::string& html, std::string& svg) {
  command.add_option("--html", html, "a report to look at, written to this file as well")
      ->type_name("FILE");
  command.add_option("--svg", svg, "its plots, written into this folder")->type_name("DIR");
}

}  // namespace jettison
