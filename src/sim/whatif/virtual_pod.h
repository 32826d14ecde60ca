#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/frames/frame.h"
#include "sim/frames/pod_course.h"

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

}  // namespace jettison
