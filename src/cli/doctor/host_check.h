#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"

namespace jettison {

enum class HostStatus : std::uint8_t {
  kOk,
  kDegraded,  // the agent works without it, less well
  kMissing,   // the agent cannot do its work without it
};
// "ok", "degraded", "missing".
[[nodiscard]] std::string_view NameOf(HostStatus status);

// What the agent wants a thing for.
enum class HostNeed : std::uint8_t {
  kEvicting,      // to watch pods and to evict them, whoever started them
  kStartingPods,  // only to start pods of its own
};

// One thing that the agent wants from a host.
struct HostCheck {
  std::string check;  // what it is about
  HostStatus status = HostStatus::kOk;
  std::string found;   // what is there
  std::string cost;    // what its lack costs; empty where ok
  std::string remedy;  // how to get it; empty where ok
  HostNeed need = HostNeed::kEvicting;
};

// A check that found what is wanted.
[[nodiscard]] HostCheck OkCheck(std::string check, std::string found);

// What it means that a thing is not there.
struct HostLack {
  HostStatus status = HostStatus::kDegraded;
  std::string cost;
  std::string remedy;
  HostNeed need = HostNeed::kEvicting;
};
// A check of what was found, or of the reason why it was not.
[[nodiscard]] HostCheck CheckOf(std::string check, Result<std::string> found, HostLack lack);

// The checks for an agent that starts no pods: what is missing only for that is degraded, and its
// cost says why it does not matter.
[[nodiscard]] std::vector<HostCheck> ForAgentWithoutPods(std::vector<HostCheck> checks);

// Whether nothing is missing.
[[nodiscard]] bool IsReady(const std::vector<HostCheck>& checks);

// A table for people: a line for each check, what it costs and how to mend it below those that are
// not ok, and a closing line, which says what the host is not ready for. Ends with a newline.
[[nodiscard]] std::string ChecksAsText(const std::vector<HostCheck>& checks);
// {"checks":[{"check","status","found","cost","remedy"}],"ready":BOOL}, ends with a newline.
[[nodiscard]] std::string ChecksAsJson(const std::vector<HostCheck>& checks);

}  // namespace jettison
