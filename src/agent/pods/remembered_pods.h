#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/pods/pod_slots.h"
#include "agent/state/agent_state.h"

namespace jettison {

// The state of pods that an earlier agent has kept, until the pods are adopted or wanted again, and
// the state that this agent keeps for the next one.
class RememberedPods {
 public:
  void Remember(std::vector<SavedPod> pods);
  // Absent: nothing is known of a pod of that name and UID, or it was taken already.
  [[nodiscard]] std::optional<SavedPod> Take(const std::string& name, std::string_view uid);
  // The state for the next agent: that of the slots, and the kept state that was not taken yet.
  [[nodiscard]] std::vector<SavedPod> Saved(const PodSlots& slots, Instant now) const;

 private:
  using Map = std::map<std::string, SavedPod, std::less<>>;
  Map pods_;  // by namespace/name
};

// Restores in its slot the absence of a pod that an earlier agent has evicted, and of which nothing
// is left on the node. False: it was not evicted.
bool ResumeAbsence(PodSlot& slot, const SavedPod& kept, Instant now);

}  // namespace jettison
