#include "cli/top/ask_overview.h"

#include <vector>

namespace jettison {

std::string OverviewPath(std::optional<Signal> signal) {
  std::string path = "/api/v1/overview";
  if (signal) path.append("?signal=").append(NameOf(*signal));
  return path;
}

void AddSignalOption(CLI::App& command, std::string& name, const std::string& description) {
  std::vector<std::string> names;
  for (const Signal signal : kAllSignals) names.emplace_back(NameOf(signal));
  command.add_option("--signal", name, description)
      ->type_name("SIGNAL")
      ->check(CLI::IsMember(names).description(""));
}

}  // namespace jettison
