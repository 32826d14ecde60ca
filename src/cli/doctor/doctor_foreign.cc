#include "cli/doctor/doctor_foreign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jettison {

HostCheck ForeignPodsCheck(const AgentConfig& config, const Result<GuardTrial>& trial) {
  constexpr const char* kName = "foreign pods";
  if (!trial) {
    return {.check = kName,
            .status = HostStatus::kDegraded,
            .found = "they cannot be looked for: " + trial.error().message,
            .cost = "foreign pods are watched only once the runtime reports them",
            .remedy = "read the runtime's log"};
  }
  const std::string found =
      fmt::format("{} can be guarded (adopt: {})", trial->guarded, NameOf(config.adopt));
  if (trial->problems.empty()) return OkCheck(kName, found);
  return {.check = kName,
          .status = HostStatus::kDegraded,
          .found = fmt::format("{}; {}", found, fmt::join(trial->problems, "; ")),
          .cost =
              "what is named is not guarded, or not as a whole: other pods may be evicted in "
              "its place",
          .remedy = "see \"Foreign pods\" in docs/cri-runtime.md"};
}

}  // namespace jettison
