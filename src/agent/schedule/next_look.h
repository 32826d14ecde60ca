#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/units/duration.h"

namespace jettison {

// How far apart two looks are: a look comes before what is left to the nearest threshold could be
// used up. At kNearestLook, within 80 MiB of a threshold, looks take 1% of a processor.
inline constexpr double kBytesAtOnce = 16.0 * 1024 * 1024 * 1024;  // a second
inline constexpr double kTasksAtOnce = 100'000;                    // the same
inline constexpr Duration kNearestLook = std::chrono::milliseconds(5);
inline constexpr Duration kFarthestLook = std::chrono::milliseconds(500);

// How far apart looks are that follow the kernel's word: it may report stalls every 10 ms for as
// long as a group is at its limit (CGROUP_FILE_NOTIFY_MIN_INTV), and each crossing of a level.
inline constexpr Duration kStallSpacing = std::chrono::milliseconds(50);
inline constexpr Duration kLevelSpacing = std::chrono::milliseconds(1);

// While pods are ending or an eviction waits, the node is looked at every few milliseconds at
// first, and less often later.
inline constexpr Duration kShortestPaceLook = std::chrono::milliseconds(5);
inline constexpr Duration kLongestPaceLook = std::chrono::milliseconds(20);

// The time from a look to the next: until the nearest threshold on memory, swap or process IDs that
// is not crossed could be reached, but between kNearestLook and kFarthestLook.
[[nodiscard]] Duration NextLook(std::span<const Threshold> thresholds, const Observations& seen);

// The same while pods are ending, or an eviction waits, since then.
[[nodiscard]] Duration NextPaceLook(Instant since, Instant now);

// Says when the next full pass begins: at once after the start, then every interval, or sooner if
// it was requested. Between its beginning and its end disk use is measured. The kubelet would make
// a scheduled pass, too, but not a requested one.
class PassScheduler {
 public:
  PassScheduler(Duration interval, Instant first) : interval_(interval), scheduled_(first) {}

  // Whether a full pass should begin now; true once, until Done.
  [[nodiscard]] bool Begin(Instant now) {
    if (measuring_ || now < NextDeadline()) return false;
    measuring_ = true;
    is_scheduled_ = false;
    requested_.reset();
    (void)TakeTurn(now);
    return true;
  }
  // Whether a scheduled pass has become due, once: the one that has begun is it.
  [[nodiscard]] bool TakeTurn(Instant now) {
    if (now < scheduled_) return false;
    scheduled_ = now + interval_;
    return is_scheduled_ = true;
  }
  // The pass that had begun is over, or will not happen.
  void Done() { measuring_ = false; }
  // The pass that had begun has decided nothing, and begins again then.
  void PutOff(Instant at) {
    measuring_ = false;
    is_scheduled_ ? Schedule(at) : Request(at);
  }
  // A full pass is wanted at `at` or sooner; one that is being measured already does not count.
  void Request(Instant at) { requested_ = std::min(requested_.value_or(at), at); }
  // The same, because the kubelet would make a pass then.
  void Schedule(Instant at) { scheduled_ = std::min(scheduled_, at); }
  [[nodiscard]] bool measuring() const { return measuring_; }
  // Whether the pass that has begun is a scheduled one.
  [[nodiscard]] bool is_scheduled() const { return is_scheduled_; }
  // The next scheduled pass.
  [[nodiscard]] Instant scheduled() const { return scheduled_; }
  // When Begin, or while a pass is being measured TakeTurn, will next be true.
  [[nodiscard]] Instant NextDeadline() const {
    return measuring_ ? scheduled_ : std::min(scheduled_, requested_.value_or(scheduled_));
  }

 private:
  Duration interval_;
  Instant scheduled_;
  std::optional<Instant> requested_;
  bool measuring_ = false;
  bool is_scheduled_ = false;  // the pass that has begun
};

// How far a level may move before it is registered anew, which takes milliseconds: the kernel looks
// at a group's levels every 128 page charges (THRESHOLDS_EVENTS_TARGET in mm/memcontrol-v1.c).
inline constexpr std::uint64_t kLevelSlack = std::uint64_t{128} * 4096;

// The levels of every threshold on memory, soft and hard, from figures of one pass: the usage at
// which what is available has shrunk to the threshold, which is capacity - threshold + inactive
// file, as the kubelet places its notification (pkg/kubelet/eviction/memory_threshold_notifier.go).
// A signal that was not measured has none.
[[nodiscard]] std::vector<MemoryLevel> MemoryLevels(std::span<const Threshold> thresholds,
                                                    const NodeStats& node);

// Whether `wanted` differs from what is registered by more than the slack.
[[nodiscard]] bool LevelsMoved(std::span<const MemoryLevel> registered,
                               std::span<const MemoryLevel> wanted);

}  // namespace jettison
