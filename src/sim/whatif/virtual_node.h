#pragma once

#include <optional>
#include <vector>

#include "core/observe/observations.h"
#include "sim/frames/segment.h"
#include "sim/whatif/virtual_pod.h"

namespace jettison {

// The pods of a simulation that are not as recorded, and what the node has left because of them.
class VirtualPods {
 public:
  [[nodiscard]] bool empty() const { return pods_.empty(); }
  [[nodiscard]] VirtualPod* Find(PodSlot slot);
  [[nodiscard]] const VirtualPod* Find(PodSlot slot) const;
  // Adds one, or replaces that of its slot.
  VirtualPod& Put(VirtualPod pod);
  // Drops those that the predicate is true of. It is asked once of each, in their order.
  template <typename Predicate>
  void DropIf(Predicate predicate) {
    std::erase_if(pods_, predicate);
  }
  void Clear() { pods_.clear(); }

  [[nodiscard]] auto begin() { return pods_.begin(); }
  [[nodiscard]] auto end() { return pods_.end(); }
  [[nodiscard]] auto begin() const { return pods_.begin(); }
  [[nodiscard]] auto end() const { return pods_.end(); }

  // By how much more memory is free than recorded.
  [[nodiscard]] double FreedAt(const Segment& segment, const std::vector<RecordedCourse>& courses,
                               Instant at) const;
  // By how much less, or more, may be free than that.
  [[nodiscard]] VirtualPod::Spread SpreadAt(const std::vector<RecordedCourse>& courses,
                                            Instant at) const;
  // What the pod holds.
  [[nodiscard]] double MemoryAt(PodSlot slot, const Segment& segment,
                                const std::vector<RecordedCourse>& courses, Instant at) const;
  // All signals as the policy would see them.
  [[nodiscard]] Observations SeenAt(const Segment& segment,
                                    const std::vector<RecordedCourse>& courses, Instant at) const;

 private:
  void FreeOthers(const Segment& segment, Observations& seen) const;

  std::vector<VirtualPod> pods_;  // by slot
};

}  // namespace jettison
