#include "cli/top/ask_overview.h"

#include "cli/terminal/signal_option.h"

namespace jettison {

std::string OverviewPath(std::optional<Signal> signal) {
  std::string path = "/api/v1/overview";
  if (signal) path.append("?signal=").append(NameOf(*signal));
  return path;
}

void AddSignalOption(CLI::App& command, std::string& name, const std::string& description) {
  command.add_option("--signal", name, description)->type_name("SIGNAL")->check(KnownSignal());
}

}  // namespace jettison
