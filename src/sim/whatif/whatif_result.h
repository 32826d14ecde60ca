#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/decide/local_storage.h"
#include "core/model/signal.h"
#include "core/units/duration.h"

namespace jettison {

// When something happened: most likely `at`, certainly not known better than within the other two.
struct TimeBounds {
  Instant earliest;
  Instant at;
  Instant latest;

  [[nodiscard]] bool Holds(Instant instant) const {
    return earliest <= instant && instant <= latest;
  }
  friend bool operator==(const TimeBounds&, const TimeBounds&) = default;
};

// A pod that a policy evicts.
struct SimulatedEviction {
  std::string uid;
  std::string pod;  // "namespace/name"
  TimeBounds when;
  Signal signal = Signal::kMemoryAvailable;  // that was acted for; of no meaning with a limit
  bool soft = false;
  std::optional<StorageLimitKind> limit;  // of its own, that the pod broke
  std::int64_t available = 0;             // of the signal
  std::int64_t line = 0;                  // of the threshold
  std::int64_t held = 0;                  // by the pod, in the unit of the signal
  bool as_recorded = false;               // the recording has the same eviction at this moment
  // The pod runs as the recording says until then; else it is a course that the model made up.
  bool from_record = true;
};

// A process that the kernel kills because memory is short.
struct ForeseenOomKill {
  enum class Why : std::uint8_t {
    kRecorded,  // it was so, and the policy changed nothing about it
    kNode,      // the node has nothing left
    kPodLimit,  // the pod goes on growing and meets its own limit
  };
  std::string uid;
  std::string pod;
  TimeBounds when;
  Why why = Why::kNode;
};
// "recorded", "node", "podLimit".
[[nodiscard]] std::string_view NameOf(ForeseenOomKill::Why why);

// What one policy does to the node of a recording.
struct PolicyOutcome {
  std::string name;
  std::vector<SimulatedEviction> evictions;  // in the order of time
  std::vector<ForeseenOomKill> oom_kills;
  std::array<Duration, kNodeConditionCount> condition_time{};
  // What lay below the highest hard threshold on memory.available and was free: bytes times
  // seconds.
  double idle_byte_seconds = 0;
  Duration pod_time_lost{0};  // of evicted pods, until they run again or the recording ends

  [[nodiscard]] double IdleGibHours() const;
};

// What the recording says of itself.
struct RecordedFact {
  Instant at;
  std::string uid;
  std::string pod;
  Signal signal = Signal::kMemoryAvailable;
  std::optional<StorageLimitKind> limit;
};
struct RecordingFlaw {
  Instant at;
  std::string what;  // a sentence without its full stop
};
struct RecordingFacts {
  std::string node;
  std::optional<Instant> from;
  std::optional<Instant> to;
  std::uint64_t passes = 0;
  std::size_t pods = 0;  // different ones
  Duration longest_step{0};
  Duration unknown{0};                  // time in gaps
  std::vector<RecordedFact> evictions;  // that were carried out
  std::vector<RecordedFact> oom_kills;
  std::vector<RecordingFlaw> flaws;  // the first kMostFlaws of them
  std::uint64_t flaw_count = 0;
};
inline constexpr std::size_t kMostFlaws = 50;

}  // namespace jettison
