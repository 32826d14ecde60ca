#include "cli/doctor/doctor_foreign.h"

#include <fmt/format.h>

namespace jettison {

HostCheck ForeignPodsCheck(const AgentConfig& config, const Result<cri::ForeignFacts>& facts) {
  constexpr const char* kName = "pods of others";
  if (!facts) {
    return {.check = kName,
            .status = HostStatus::kDegraded,
            .found = "the runtime does not tell: " + facts.error().message,
            .cost = "what others run is seen later, when it does",
            .remedy = "see what the runtime says in its log"};
  }
  std::string found = fmt::format("{} through CRI", facts->sandboxes);
  if (!facts->tells_containers) found += "; the runtime cannot tell of others";
  for (const auto& [of, count] : facts->containers) {
    found += fmt::format(", {} in containerd's namespace {}", count, of);
  }
  return OkCheck(kName, fmt::format("{} (adopt: {})", found, NameOf(config.adopt)));
}

}  // namespace jettison
