#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace jettison {

// One pod to be failed: everything that the kill, the pod's status and the event need.
struct EvictionOrder {
  std::string pod_uid;
  std::int64_t grace_period_seconds = 0;
  std::string reason = "Evicted";  // of the status
  std::string message;             // of the status, the event and the condition
  std::map<std::string, std::string, std::less<>> annotations;  // of the event
  bool disruption_target = false;  // sets condition DisruptionTarget, reason TerminationByKubelet
  bool soft = false;               // for a soft threshold
  // A soft eviction that the API server permits, and leaves to the agent; otherwise it carries out
  // what it permits.
  bool left_to_agent = false;
};

// What became of the order to fail a pod.
enum class EvictOutcome : std::uint8_t {
  kEnding,     // it has been told to end
  kWasEnding,  // it is ending as soon as that already, so nothing was done
  kDryRun,     // nothing was done, because this is a dry run
  kAsked,      // nothing was done yet: the API server is asked first
};

}  // namespace jettison
