#include "cli/doctor/doctor_foreign.h"

#include <fmt/format.h>

namespace jettison {

HostCheck ForeignPodsCheck(const AgentConfig& config, const Result<cri::ForeignFacts>& facts) {
  constexpr const char* kName = "foreign pods";
  if (!facts) {
    return {.check = kName,
            .status = HostStatus::kDegraded,
            .found = "the runtime does not report them: " + facts.error().message,
            .cost = "foreign pods are watched only once the runtime reports them",
            .remedy = "read the runtime's log"};
  }
  std::string found = fmt::format("{} through CRI", facts->sandboxes);
  if (!facts->tells_containers) found += "; the runtime does not report other containers";
  for (const auto& [in_namespace, count] : facts->containers) {
    found += fmt::format(", {} in containerd's namespace {}", count, in_namespace);
  }
  for (const auto& [in_namespace, why] : facts->uncounted) {
    found += fmt::format(", not counted in containerd's namespace {}: {}", in_namespace, why);
  }
  return OkCheck(kName, fmt::format("{} (adopt: {})", found, NameOf(config.adopt)));
}

}  // namespace jettison
