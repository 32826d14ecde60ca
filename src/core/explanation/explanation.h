#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/decide/decide.h"
#include "core/decide/eviction_pace.h"
#include "core/decide/holders.h"
#include "core/model/pod.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"
#include "core/units/duration.h"

// Answers to "why", as values: text and JSON are written from them and from nothing else. Amounts
// without a type of their own are in the unit of their signal (UnitNameOf): bytes, inodes, process
// ids, or hundredths of a percent of the time.
namespace jettison {

// One line of the computation of an available amount.
struct SignalFigure {
  enum class Role : std::uint8_t { kTerm, kSubtracted, kResult };
  std::string_view key;    // in JSON: "inactiveFile"
  std::string_view label;  // for people: "inactive file"
  Role role = Role::kTerm;
  std::int64_t amount = 0;
};

// One signal as a pass read it.
struct SignalReading {
  Signal signal = Signal::kMemoryAvailable;
  std::optional<Observation> seen;    // absent: it could not be measured
  std::vector<SignalFigure> figures;  // from top to bottom; the last is the available amount
};

// One threshold as a pass found it.
struct ThresholdFacts {
  Threshold threshold;
  std::optional<Observation> seen;     // absent: the signal could not be measured
  std::optional<std::int64_t> line;    // the value, worked out of the capacity
  std::optional<std::int64_t> end;     // with minimum reclaim: once met, it is until so much is
                                       // available
  bool met = false;                    // now, or before and minimum reclaim not yet reached
  bool by_min_reclaim = false;         // only because minimum reclaim is not yet reached
  bool acting = false;                 // met for its grace period, and its figures are fresh
  bool in_margin = false;              // only pods that exceed their request are candidates
  std::optional<Instant> since;        // met: first observed then
  std::optional<Duration> met_for;     // by the time of the pass
  std::optional<Duration> grace_left;  // met and not overdue
  std::optional<Duration> time_to;     // not met: until it is, as memory shrinks now
};

// A pod in an order of eviction.
struct RankedPod {
  std::size_t place = 1;  // first to go: 1
  PodIdentity pod;
  QosClass qos = QosClass::kBestEffort;
  std::int32_t priority = 0;
  bool measured = true;               // false: no statistics, so it is evicted first
  bool exceeds_request = false;       // as ranking sees it
  std::optional<std::int64_t> usage;  // absent: unknown, ranked as zero
  std::int64_t request = 0;           // 0 for inodes, process IDs and time
  std::int64_t excess = 0;            // usage minus request, as it is ranked
  bool critical = false;              // never evicted
  bool may_go = true;
  bool keeps_to_request = false;  // may not, for that alone (Candidates::kOverRequest)
  bool chosen = false;            // the victim
  std::string_view decided_by;    // what puts it before the next one; empty for the last
};

// An order of eviction, or a part of it.
struct PodOrder {
  Signal signal = Signal::kMemoryAvailable;
  std::size_t total = 0;  // of all pods; `pods` may be fewer, they are neighbours
  std::vector<RankedPod> pods;
};

// A limit of local storage, and what is used of it.
struct StorageLimitFacts {
  PodIdentity pod;
  StorageLimitKind kind = StorageLimitKind::kPod;
  std::string name;                  // of the volume or container; empty for the pod's own
  std::optional<std::int64_t> used;  // bytes
  std::int64_t limit = 0;            // bytes
  bool broken = false;               // the pod is evicted for it
};

// What a report records of a pod, with the pod's name.
template <typename Record>
struct OfPod {
  PodIdentity pod;
  Record record;
};

// A pod that a pass failed, or would fail.
struct EvictedPod : OfPod<EvictionRecord> {
  std::string counted;  // CountedText
};

// What was reclaimed before anybody had to go.
struct ReclaimFacts {
  std::vector<ReclaimStep> attempted;
  std::vector<std::string> errors;
  bool under_way = false;
  bool relieved = false;
  std::optional<std::int64_t> available_before;  // of the signal acted for
  std::optional<std::int64_t> available_after;   // absent: it was not read again
};

// How a pass ended.
enum class PassOutcome : std::uint8_t {
  kNothing,          // no threshold acted
  kStorageLimits,    // pods were evicted that broke their own limits
  kReclaimUnderWay,  // a reclaim is under way; until it is over, no pod is evicted
  kRelieved,         // what was reclaimed was enough
  kEvicted,          // one pod was evicted
  kPaused,           // a pod would be evicted, but the eviction waits
  kNobodyMayGo,      // every pod is protected, or there is none
  kAwaitsDiskUse,    // no eviction before the disk use of the pods is known
};
template <>
inline constexpr auto kNamesOf<PassOutcome> = EnumNames("nothing", "storageLimits",
                                                        "reclaimUnderWay", "relieved", "evicted",
                                                        "paused", "nobodyMayGo", "awaitsDiskUse");

// One change of the inputs and the outcome that it leads to, found by deciding again.
struct Otherwise {
  enum class Change : std::uint8_t {
    kUsage,      // of `pod`: `by` less
    kRequest,    // of `pod`: at least `to`
    kPriority,   // of `pod`: at least `to`
    kAvailable,  // of the signal, and of those that tell of the same: `by` more
  };
  Change change = Change::kUsage;
  std::string pod;  // "namespace/name"; empty where it is about the node
  std::int64_t by = 0;
  std::int64_t to = 0;
  PassOutcome outcome = PassOutcome::kNothing;  // then
  std::string victim;                           // then, "namespace/name"; empty: none
  std::optional<Signal> signal;                 // acted for then, if it is a different one
  bool after_reclaim = false;  // then, if a reclaim that did not take place frees too little
  std::string text;            // all of it, as a sentence
};
template <>
inline constexpr auto kNamesOf<Otherwise::Change> = EnumNames("usage", "request", "priority",
                                                              "available");

// Why one pass did what it did; or, `hypothetical`, what one would do now.
struct PassExplanation {
  std::string id;  // of the eviction: "ev-12"; empty: it is about the pass
  Instant at;
  std::uint64_t pass = 0;
  bool hypothetical = false;
  bool dry_run = false;
  std::optional<PodIdentity> subject;  // the pod whose eviction is being explained
  PassOutcome outcome = PassOutcome::kNothing;
  NodeConditions conditions;
  std::vector<ThresholdFacts> thresholds;
  std::optional<std::size_t> threshold;  // of them: the one that was acted for
  std::optional<SignalReading> signal;   // its signal
  ReclaimFacts reclaim;
  std::vector<StorageLimitFacts> limits;           // those broken
  std::optional<PodOrder> order;                   // where pods were ranked
  std::vector<OfPod<StaleDiskRecord>> stale_disk;  // the same, for a disk
  std::vector<EvictedPod> evicted;
  std::optional<OfPod<EvictionPause>> pause;     // the pod would have been evicted
  std::vector<OfPod<SparedPod>> spared;          // for a soft threshold: the API server refused
  std::vector<OfPod<EarlyKill>> early_kills;     // since the pass before
  std::vector<Holders> holders;                  // of what was acted for, or is looked at now
  std::vector<OfPod<SurvivorRecord>> survivors;  // killed again by the pass
  std::vector<Otherwise> otherwise;

  // Null: no threshold was acted for.
  [[nodiscard]] const ThresholdFacts* ActedFor() const {
    return threshold ? &thresholds[*threshold] : nullptr;
  }
};

// The place of one pod in the order for one signal.
struct PodPlace {
  Signal signal = Signal::kMemoryAvailable;
  std::size_t total = 0;
  RankedPod self;
  std::optional<RankedPod> before;         // the neighbour that is evicted before it
  std::optional<RankedPod> after;          // the neighbour that is evicted after it
  std::optional<std::int64_t> more_usage;  // with this much more it would be evicted first
  std::optional<std::int64_t> less_usage;  // with this much less it would not be evicted first
};

// Where one pod stands now.
struct PodExplanation {
  Instant at;
  PodIdentity pod;
  QosClass qos = QosClass::kBestEffort;
  std::int32_t priority = 0;
  std::string protected_by;      // why it is never evicted; empty: it may be
  std::string activity;          // "running", "waiting", ...
  std::vector<PodPlace> places;  // for each signal that has a threshold
  std::vector<StorageLimitFacts> limits;
  std::vector<std::string> evictions;  // ids of those that are remembered, oldest first
};

// What would happen now.
struct NodeExplanation {
  bool waiting_for_cleanup = false;    // of evicted pods: nobody else goes before that, with few
                                       // exceptions
  PassExplanation pass;                // a pass now, if a reclaim frees nothing
  std::vector<SignalReading> signals;  // those that have a threshold
  std::vector<PodOrder> first;         // the first pods of the order for each of them
};

}  // namespace jettison
