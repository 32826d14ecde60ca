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
  // Notes the eviction of the pod in this slot, which cannot be read, for when it can be, or when a
  // manifest asks for it. Does nothing where it is not being evicted.
  void NoteUnreadEvicted(const PodSlot& slot);
  // Null: nothing is known of a pod of that name and UID. What is known of a pod that could not be
  // read may have another name.
  [[nodiscard]] const SavedPod* Find(const std::string& name, std::string_view uid) const;
  // The same; absent also where it was taken already.
  [[nodiscard]] std::optional<SavedPod> Take(const std::string& name, std::string_view uid);
  // The state for the next agent: that of the slots, and the kept state that was not taken yet.
  [[nodiscard]] std::vector<SavedPod> Kept(const PodSlots& slots, Instant now) const;

 private:
  using Map = std::map<std::string, SavedPod, std::less<>>;
  [[nodiscard]] Map::const_iterator Search(const std::string& name, std::string_view uid) const;

  Map pods_;  // by namespace/name
};

// Restores in its slot the absence of a pod that an earlier agent has evicted, and of which nothing
// is left on the node. False: it was not evicted.
bool ResumeAbsence(PodSlot& slot, const SavedPod& kept, Instant now);

// What is known of a pod in this slot that was evicted, if its back-off is not over; absent: there
// is none of this UID. Whatever is found of it now ends.
[[nodiscard]] std::optional<SavedPod> StillOut(const PodSlot& slot, std::string_view uid,
                                               Instant now);
// The same of what an earlier agent has kept of a pod that it had evicted.
void EndWhatIsLeft(SavedPod& kept, Instant now);

}  // namespace jettison
