#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/decide/decide.h"
#include "core/model/choices.h"
#include "core/model/signal.h"
#include "core/pass/pass.h"
#include "core/recording/recording.h"
#include "core/text/enum_names.h"
#include "core/units/duration.h"
#include "sim/frames/frame.h"
#include "sim/frames/frame_builder.h"

namespace jettison {

// What becomes of a pod that is evicted in a simulation and not in the recording.
enum class AfterEviction : std::uint8_t {
  kRestarted,  // it comes back on this node after its back-off, as the agent does it
  kElsewhere,  // it does not come back, as on a node of a cluster
};

// As the kubelet and the agent have it, where neither the recording nor a policy says otherwise.
inline constexpr RecordedSettings kUsualSettings = {.monitoring_interval = std::chrono::seconds(10),
                                                    .backoff_initial = std::chrono::seconds(10),
                                                    .backoff_max = std::chrono::minutes(5)};

// What a simulation takes to be so.
struct WhatIfModel {
  std::optional<AfterEviction> after_eviction;  // absent: by the profile of the recording
  // Absent: as the head of the recording says.
  std::optional<Duration> monitoring_interval;  // from pass to pass by the clock
  std::optional<Duration> backoff;
  std::optional<Duration> max_backoff;
};

// A policy to be tried out.
struct CandidatePolicy {
  std::string name;
  // Out of the one that was in force at the beginning; empty: whatever was in force, always.
  std::function<PassPolicy(const PassPolicy& recorded)> policy_for;
};

// What all policies of a simulation look at.
struct WhatIfNode {
  const PodRoster& roster;
  const std::vector<RecordedCourse>& courses;  // until the frame that a segment begins with
  const WhatIfModel& model;
  RecordedSettings settings;  // as the model and the recording have them
  Profile profile = Profile::kKubelet;
  // Nothing that the policy in force did is taken from the recording: neither the state of its
  // passes nor its decisions.
  bool blind = false;
};

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
template <>
inline constexpr auto kNamesOf<ForeseenOomKill::Why> = EnumNames("recorded", "node", "podLimit");

// How long each node condition was true.
struct ConditionTimes : std::array<Duration, kNodeConditionCount> {
  [[nodiscard]] Duration Sum() const {
    Duration all{0};
    for (const Duration each : *this) all += each;
    return all;
  }
};

inline constexpr double kByteSecondsOfGibHour = 1024.0 * 1024.0 * 1024.0 * 3600.0;

// What one policy does to the node of a recording.
struct PolicyOutcome {
  std::string name;
  std::vector<SimulatedEviction> evictions;  // in the order of time
  std::vector<ForeseenOomKill> oom_kills;
  ConditionTimes condition_time{};
  // What lay below the highest hard threshold on memory.available and was free: bytes times
  // seconds.
  double idle_byte_seconds = 0;
  Duration pod_time_lost{0};  // of evicted pods, until they run again or the recording ends

  [[nodiscard]] double IdleGibHours() const { return idle_byte_seconds / kByteSecondsOfGibHour; }
};

class PolicyRun;

struct WhatIfOptions {
  WhatIfModel model;
  // Passes by the clock alone are seen, so far apart, and no decision (WhatIfNode::blind); absent:
  // everything is.
  std::optional<Duration> samples_every;
};

// What each policy would have done to the node of a recording. Items are handed in one by one, all
// of them: also where no policy acts, they say how pods grow. What is kept of them does not grow
// with their number.
class WhatIf {
 public:
  WhatIf(std::vector<CandidatePolicy> candidates, WhatIfOptions options);
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;
  ~WhatIf();

  void Add(const RecordedItem& item);
  void Finish();

  [[nodiscard]] const RecordingFacts& facts() const { return builder_.facts(); }
  // Beside the candidates.
  [[nodiscard]] std::vector<PolicyOutcome> Outcomes() const;

 private:
  void Go(Frame& frame);
  void Lead(const Segment& segment, bool violations);
  // `before`: when the frame before was taken.
  void Learn(const Frame& frame, std::optional<Instant> before);
  [[nodiscard]] bool HasViolations(const Frame& frame);
  // What all policies look at, at this moment.
  [[nodiscard]] WhatIfNode Node() const;

  const std::vector<CandidatePolicy> candidates_;
  const WhatIfOptions options_;
  PodRoster roster_;
  std::vector<RecordedCourse> courses_;
  std::vector<PolicyRun> runs_;
  FrameBuilder builder_;
  std::optional<Thinning> thinning_;
  RecordedSettings recorded_ = kUsualSettings;
  std::optional<Frame> last_;
  std::vector<ActivePod> scratch_;
};

}  // namespace jettison
