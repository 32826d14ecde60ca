#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/observe/observations.h"
#include "sim/frames/frame.h"
#include "sim/frames/pod_course.h"
#include "sim/frames/segment.h"

namespace jettison {

// A pod whose course in a simulation is another than the recorded one.
struct VirtualPod {
  enum class Is : std::uint8_t {
    kGoingOn,  // the recording ended it, the simulation did not: it goes on growing as it did
    kEnding,   // the simulation evicted it, and it is not gone yet
    kAway,     // it is gone
    kBack,     // it came back and grows as it did before
  };
  PodSlot slot = 0;
  Is is = Is::kGoingOn;
  Instant since;
  double from = 0;                    // bytes that it held then
  GrowthBounds growth;                // from then on; of kGoingOn and kEnding
  unsigned life = 0;                  // whose course it repeats; of kBack
  Duration early{0};                  // by how much it may all have been earlier, ...
  Duration late{0};                   // ... or later
  std::optional<std::int64_t> limit;  // of its memory
  // Of kEnding and kAway.
  Instant evicted;
  Instant gone;                 // when it will be, or was
  std::optional<Instant> due;   // it may come back; absent: it does not
  bool follows_record = false;  // it comes back when the recording says so
  unsigned life_at_end = 0;     // of the recording, when it was evicted

  [[nodiscard]] double MemoryAt(const RecordedCourse& course, Instant at) const;
  // By how much less, and more, it may hold.
  struct Spread {
    double less = 0;
    double more = 0;
  };
  [[nodiscard]] Spread SpreadAt(const RecordedCourse& course, Instant at) const;
  // When it is gone, or may come back; absent: neither is foreseen.
  [[nodiscard]] std::optional<Instant> NextChange() const;
  [[nodiscard]] bool IsThere() const { return is == Is::kGoingOn || is == Is::kBack; }
};

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
