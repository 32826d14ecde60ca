#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/enum_names.h"
#include "core/units/duration.h"

namespace jettison {

enum class EventType : bool { kNormal, kWarning };
template <>
inline constexpr auto kNamesOf<EventType> = EnumNames("Normal", "Warning");

// Something worth telling an operator, in the kubelet's words.
struct Event {
  std::string object;  // "node", or the UID of the pod it is about
  EventType type = EventType::kNormal;
  std::string reason;
  std::string message;
  std::map<std::string, std::string, std::less<>> annotations;
};

// Whether an event with this reason says that a pod was ended to relieve the node. `refused_for`:
// what admission refused the pod for; an event with that may have the same reason.
[[nodiscard]] inline bool TellsOfEviction(std::string_view reason, std::string_view refused_for) {
  return refused_for.empty() && (reason == "Evicted" || reason == "Preempting");
}

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

// Who created a pod. `own`: this agent, from a manifest; `runtime`: other software, on the
// container runtime that this agent uses; `kubernetes`: the kubelet of this node, for its cluster.
enum class PodOrigin : std::uint8_t { kOwn, kRuntime, kKubernetes };

// Why a pod is not evicted for node pressure. `critical`: it is critical by the profile;
// `observed`: it is foreign, and the policy is only to observe foreign pods; `spared`: it is not
// evicted for soft thresholds for now (SparedPod).
enum class Protection : std::uint8_t { kNone, kCritical, kObserved, kSpared };

template <>
inline constexpr auto kNamesOf<PodOrigin> = EnumNames("own", "runtime", "kubernetes");
template <>
inline constexpr auto kNamesOf<Protection> = EnumNames("none", "critical", "observed", "spared");

// A pod that is not evicted for a soft threshold until `until`. Hard thresholds ignore this.
struct SparedPod {
  std::string uid;
  std::string why;  // in the words of who spares it
  Instant until;
  friend bool operator==(const SparedPod&, const SparedPod&) = default;
};

// The soft evictions so far, as far as they delay or prevent the next ones.
struct SoftEvictionsSoFar {
  std::vector<Instant> granted;  // within the last hour, oldest first
  std::vector<SparedPod> spared;
  friend bool operator==(const SoftEvictionsSoFar&, const SoftEvictionsSoFar&) = default;
};

}  // namespace jettison
