#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/decide/decide.h"
#include "core/decide/garbage_collection.h"
#include "core/model/signal.h"
#include "core/pass/pass.h"
#include "core/pods/admission.h"
#include "core/pods/start_failure.h"
#include "core/text/enum_names.h"
#include "core/units/duration.h"

namespace jettison {

// A histogram of durations, with the bounds of its classes as Prometheus defines them.
struct HistogramView {
  std::span<const Duration> bounds;        // ascending, inclusive
  std::span<const std::uint64_t> classes;  // count of each class, then of longer durations
  Duration sum{0};
};

// Counts durations by class. Its size is fixed, so that Observe allocates nothing. `kBounds` is an
// array with static storage.
template <const auto& kBounds>
class Histogram {
 public:
  void Observe(Duration value) {
    const auto* const bound = std::lower_bound(kBounds.data(), kBounds.data() + kSize, value);
    ++classes_[static_cast<std::size_t>(bound - kBounds.data())];
    sum_ += value;
  }
  [[nodiscard]] HistogramView View() const {
    return {.bounds = kBounds, .classes = classes_, .sum = sum_};
  }
  [[nodiscard]] std::uint64_t Count() const {
    std::uint64_t count = 0;
    for (const std::uint64_t some : classes_) count += some;
    return count;
  }

 private:
  static constexpr std::size_t kSize = std::size(kBounds);
  std::array<std::uint64_t, kSize + 1> classes_{};
  Duration sum_{0};
};

// So many of a unit each.
template <typename Unit, std::size_t kCount>
constexpr std::array<Duration, kCount> BoundsIn(const int (&numbers)[kCount]) {
  std::array<Duration, kCount> bounds{};
  std::ranges::transform(numbers, bounds.begin(), [](int number) { return Unit(number); });
  return bounds;
}

// The client library's own bounds, which the kubelet uses. (client_golang: DefBuckets)
inline constexpr auto kDefaultBounds =
    BoundsIn<std::chrono::milliseconds>({5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10'000});

// (kubelet: podStartupDurationBuckets)
inline constexpr auto kPodStartBounds = BoundsIn<std::chrono::milliseconds>(
    {500,     1000,    2000,    3000,      4000,      5000,      6000,     8000,    10'000,
     20'000,  30'000,  45'000,  60'000,    120'000,   180'000,   240'000,  300'000, 360'000,
     480'000, 600'000, 900'000, 1'200'000, 1'800'000, 2'700'000, 3'600'000});

// Bounds for a pass, which normally takes microseconds.
inline constexpr auto kPassBounds = BoundsIn<std::chrono::microseconds>(
    {50, 100, 250, 500, 1000, 2500, 5000, 10'000, 25'000, 50'000, 100'000, 250'000, 1'000'000});

// Bounds for a walk through the files of all pods.
inline constexpr auto kWalkBounds = BoundsIn<std::chrono::milliseconds>(
    {1, 5, 10, 50, 100, 500, 1000, 2000, 5000, 10'000, 30'000, 60'000});

// Counters of what has happened since the agent started, as plain values. They never decrease, and
// they start at zero with the agent, as Prometheus expects.

// The reasons for evictions: each signal, by its index, then each kind of local-storage limit.
inline constexpr std::size_t kEvictionSignalCount = kSignalCount + kAllOf<StorageLimitKind>.size();
// The kubelet's label of it: "memory.available", "emptydirfs.limit".
[[nodiscard]] std::string_view EvictionSignalName(std::size_t index);
using CountByEvictionSignal = std::array<std::uint64_t, kEvictionSignalCount>;

// Which figures a pass uses: all of them, or those that can be read at once (no disk use of pods).
enum class PassKind : std::uint8_t { kFull, kWatch };
template <>
inline constexpr auto kNamesOf<PassKind> = EnumNames("full", "watch");

struct PassCounters {
  // By kind; from the first figure read to the last line of the log.
  std::array<Histogram<kPassBounds>, kAllOf<PassKind>.size()> duration;
  std::uint64_t looks = 0;                 // at memory alone
  std::uint64_t memory_notifications = 0;  // kernel wake-ups at a registered memory level
  CountByEvictionSignal evictions{};       // decided on and ordered, as the kubelet counts them
  std::uint64_t eviction_errors = 0;       // orders among them that could not be carried out
  // Evictions that had to wait, by reason; a wait counts once.
  std::array<std::uint64_t, kAllOf<PaceReason>.size()> waits{};
  std::uint64_t early_kills = 0;            // before the grace period was over
  CountByEvictionSignal dry_run_victims{};  // decided on in a dry run
  // By signal: the age of its figure when the pod was told to end.
  std::array<Histogram<kDefaultBounds>, kSignalCount> stats_age;
  // From the wake-up whose pass evicted to the signals that end the pod.
  Histogram<kPassBounds> detection_latency;
  std::array<std::uint64_t, kAllOf<ReclaimStep>.size()> reclaims{};  // asked for by passes, by step
  std::uint64_t reclaim_errors = 0;
};

// The moments of one pass.
struct PassTimes {
  Instant woken;    // by the kernel, the clock, or figures that were waited for
  Instant began;    // reading figures
  Instant decided;  // and acted
  Instant ended;    // with everything told
};
void CountPass(const CycleReport& report, PassKind kind, const PassTimes& times,
               PassCounters& counters);

struct PodCounters {
  std::uint64_t started_pods = 0;         // groups and volumes made, or a sandbox run; tries, too
  std::uint64_t started_pods_errors = 0;  // tries that failed
  std::array<std::uint64_t, 2> started_containers{};  // regular ones, init ones (sidecars too)
  // The same of those that could not be started, by the step that failed.
  std::array<std::array<std::uint64_t, kAllOf<StartFailure>.size()>, 2> started_containers_errors{};
  [[nodiscard]] std::uint64_t StartErrors() const;
  std::uint64_t restarted_pods = 0;      // restarted after an eviction or a preemption
  Histogram<kPodStartBounds> pod_start;  // from admission until a regular container has started
  std::map<std::string, std::uint64_t, std::less<>> admission_rejections;  // by reason
  std::array<std::uint64_t, kSharedResources.size()> preemptions{};        // by what was short
  std::uint64_t late_kills = 0;                                            // ExceededGracePeriod
  std::uint64_t dead_containers_removed = 0;  // their records, logs and layers
};

struct ImageCounters {
  std::array<std::uint64_t, kAllOf<ImageGcReason>.size()> removed{};  // by reason
  std::uint64_t freed_bytes = 0;                                      // measured, not their sizes
  std::uint64_t remove_errors = 0;
  std::uint64_t list_errors = 0;
};

// Walks through the files of all pods.
struct WalkCounters {
  Histogram<kWalkBounds> duration;  // pauses that leave time to others included
  std::uint64_t directories = 0;    // read
  std::uint64_t trees = 0;          // walked whole, not only where something has changed
};

struct NodeCounters {
  PassCounters passes;
  PodCounters pods;
  ImageCounters images;
  WalkCounters walks;
  std::uint64_t container_bytes = 0;  // freed by removals of dead containers, as measured
  std::uint64_t runtime_unready = 0;  // waits for an answer of the runtime that were in vain
  std::uint64_t log_lines_lost = 0;   // dropped, because the reader was too slow
};

}  // namespace jettison
