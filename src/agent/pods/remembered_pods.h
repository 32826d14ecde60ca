#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/kept/kept_state.h"
#include "agent/pods/pod_slots.h"

namespace jettison {

// What an agent before has kept of its pods, until they are adopted or wanted again; and what this
// one keeps for the next.
class RememberedPods {
 public:
  void Remember(std::vector<KeptPod> pods);
  // Absent: nothing is known of a pod of that name and UID, or it was taken already.
  [[nodiscard]] std::optional<KeptPod> Take(const std::string& name, std::string_view uid);
  // Everything for the next agent: that of the slots, and what nobody has asked for and still may.
  [[nodiscard]] std::vector<KeptPod> Kept(const PodSlots& slots, Instant now) const;

 private:
  std::map<std::string, KeptPod, std::less<>> pods_;  // by namespace/name
};

// Puts into its slot a pod that an agent before has evicted, and of which nothing is left on the
// node; false where it was not evicted.
bool ResumeAbsence(PodSlot& slot, const KeptPod& kept, Instant now);

}  // namespace jettison
