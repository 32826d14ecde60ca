#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/decide/ranking.h"
#include "core/explain/explain.h"
#include "core/model/pod.h"
#include "core/thresholds/threshold_settings.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

using Change = Otherwise::Change;

constexpr std::int64_t kKi = 1024;

// Amounts of memory and disk are rounded to whole KiB; counts and shares are exact.
std::int64_t StepOf(Signal signal) {
  return UnitNameOf(signal) == "bytes" ? kKi : 1;
}

// The least multiple of `step`, from `step` to the first one at or above `max`, for which `holds`
// is true while it is not one step before; absent: it does not hold at the end.
template <typename Predicate>
std::optional<std::int64_t> LeastThat(std::int64_t step, std::int64_t max, Predicate holds) {
  std::int64_t low = 0;  // does not hold
  std::int64_t high = max / step + (max % step == 0 ? 0 : 1);
  if (high < 1 || !holds(high * step)) return std::nullopt;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle * step) ? high : low) = middle;
  }
  return high * step;
}

// The inputs of a pass, and one pod of them, which a change may edit.
struct Inputs {
  DecisionInputs& pass;
  PodFacts& facts;
  PodStats& stats;
};
// Changes inputs by an amount.
using Edit = std::function<void(Inputs, std::int64_t)>;

// What would become of a pass, and of the pod that it evicted.
struct Fate {
  PassOutcome outcome = PassOutcome::kNothing;
  std::optional<std::size_t> threshold;
  std::optional<std::size_t> victim;  // the first one
  bool after_reclaim = false;         // as in Otherwise
  bool spares = true;                 // the pod is not evicted
  friend bool operator==(const Fate&, const Fate&) = default;
};

struct Found {
  std::int64_t amount = 0;
  Fate fate;
};

// Tries changes of a pass that evicts the pod at `pod`.
class Changes {
 public:
  Changes(const DecisionInputs& inputs, const Decision& decision, std::size_t pod)
      : inputs_(inputs), decision_(decision), pod_(pod), active_(inputs.pods[pod]) {
    const Evaluation all = EvaluateBy(inputs.policy, inputs.before, inputs.seen, inputs.now);
    waiting_ = all.acting & ~ToActOn(inputs.policy, all, inputs.pace);
  }

  [[nodiscard]] std::vector<Otherwise> Take() { return std::move(found_); }

  void OfPressure() {
    LessUsage();
    LargerRequest();
    HigherPriority();
    MoreAvailable();
    LowerThreshold();
    if (!acted_for().IsHard()) LongerGrace();
  }

  void OfLimit(const StorageViolation& violation) {
    const StorageLimitFacts limit = LimitOf(active_, violation, inputs_.policy.layout);
    const std::int64_t used = limit.used.value_or(0);
    const auto less = Least(kKi, used, [&](Inputs in, std::int64_t n) {
      const FreedBytes freed = UseLessStorage(limit, std::min(n, used), in.stats);
      Free(in.pass, Signal::kNodeFsAvailable, freed.node_fs);
      Free(in.pass, Signal::kContainerFsAvailable, freed.container_fs);
    });
    if (less) {
      const std::int64_t by = std::min(less->amount, used);
      Add({.change = Change::kUsage, .pod = Name(), .by = by, .to = used - by}, less->fate);
    }
    const auto larger = LeastAndMore(kKi, used + kKi, [&](Inputs in, std::int64_t n) {
      SetLimit(violation, Nanos{n} * kNanosPerUnit, in.facts);
    });
    if (larger) {
      Add({.change = Change::kLimit, .pod = Name(), .to = larger->amount}, larger->fate);
    }
  }

  void WithoutReclaim() {
    const Fate fate = With([](Inputs in, std::int64_t) { in.pass.after_reclaim.reset(); }, 0);
    if (fate.outcome == PassOutcome::kEvicted) Add({.change = Change::kNoReclaim}, fate);
  }

 private:
  [[nodiscard]] const Threshold& acted_for() const {
    return inputs_.policy.thresholds[*decision_.threshold];
  }
  [[nodiscard]] std::string Name() const { return IdentityOf(*active_.facts).FullName(); }

  // How much less time a pod that uses less would lose to stalls is not known.
  void LessUsage() {
    const Signal signal = acted_for().signal;
    const DiskLayout layout = inputs_.policy.layout;
    const std::int64_t used = UsageOf(active_, signal, layout).value_or(0);
    if (IsPressure(signal)) return;
    const auto less = Least(StepOf(signal), used, [&](Inputs in, std::int64_t n) {
      const std::int64_t by = std::min(n, used);
      if (UseMore(in.facts, signal, layout, -by, in.stats)) Free(in.pass, signal, by);
    });
    if (!less) return;
    const std::int64_t by = std::min(less->amount, used);
    Add({.change = Change::kUsage, .pod = Name(), .by = by, .to = used - by}, less->fate);
  }

  void LargerRequest() {
    constexpr std::int64_t kMost = std::int64_t{1} << 60;
    const Signal signal = acted_for().signal;
    if (UnitNameOf(signal) != "bytes") return;
    // Memory requests also count for memory that is swapped out.
    const bool of_disk = ResourceOf(signal) == Resource::kEphemeralStorage;
    const auto found = LeastAndMore(kKi, kMost, [&](Inputs in, std::int64_t n) {
      Nanos& request = of_disk ? in.facts.ephemeral_storage_request : in.facts.memory_request;
      request = std::max(request, Nanos{n} * kNanosPerUnit);
    });
    if (!found) return;
    Add({.change = Change::kRequest, .pod = Name(), .to = found->amount}, found->fate);
  }

  void HigherPriority() {
    const std::int64_t had = active_.facts->priority;
    const auto raise = [&](Inputs in, std::int64_t n) {
      in.facts.priority = static_cast<std::int32_t>(had + n);
      if (in.facts.priority >= kSystemCriticalPriority) {
        in.facts.protection = Protection::kCritical;
      }
    };
    const std::int64_t to_critical = kSystemCriticalPriority - had;
    if (const auto found = LeastAndMore(1, to_critical - 1, raise)) {
      Add({.change = Change::kPriority,
           .pod = Name(),
           .by = found->amount,
           .to = had + found->amount},
          found->fate);
      return;
    }
    Add({.change = Change::kCritical, .pod = Name(), .to = kSystemCriticalPriority},
        With(raise, to_critical));
  }

  void MoreAvailable() {
    const Signal signal = acted_for().signal;
    const Observation& seen = *inputs_.seen[signal];
    const auto found = Least(StepOf(signal), seen.capacity - seen.available,
                             [&](Inputs in, std::int64_t n) { Free(in.pass, signal, n); });
    if (!found) return;
    Add({.change = Change::kAvailable, .by = found->amount, .to = seen.available + found->amount},
        found->fate);
  }

  void LowerThreshold() {
    const Signal signal = acted_for().signal;
    const std::int64_t step = StepOf(signal);
    const std::int64_t had = QuantityOf(acted_for().value, inputs_.seen[signal]->capacity).Value();
    const auto value = [&](std::int64_t n) { return (had / step + 1 - n) * step; };
    const auto found = LeastAndMore(1, had / step, [&](Inputs in, std::int64_t n) {
      ChangeThreshold(in.pass.policy, [&](Threshold& threshold) {
        threshold.value = Quantity::Of(value(n), FormatOf(signal));
      });
    });
    if (!found) return;
    const std::int64_t to = value(found->amount);
    Add({.change = Change::kThreshold, .by = had - to, .to = to, .setting = Setting()},
        found->fate);
  }

  void LongerGrace() {
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    const auto found = LeastAndMore(1, kMost, [&](Inputs in, std::int64_t n) {
      ChangeThreshold(in.pass.policy,
                      [n](Threshold& threshold) { threshold.grace_period = Duration(n); });
    });
    if (!found) return;
    Add({.change = Change::kGracePeriod, .to = found->amount - 1, .setting = Setting()},
        found->fate);
  }

  // The signal of the setting that a threshold is made from.
  [[nodiscard]] Signal SettingOf(std::size_t threshold) const {
    const PassPolicy& policy = inputs_.policy;
    if (CopyForPods(policy.thresholds) == threshold) return Signal::kMemoryAvailable;
    return ContainerFsSource(policy.thresholds[threshold].signal, policy.layout);
  }
  [[nodiscard]] Signal Setting() const { return SettingOf(*decision_.threshold); }

  // Changes the threshold that was acted for, and those that are made from the same setting.
  void ChangeThreshold(PassPolicy& policy, const std::function<void(Threshold&)>& change) const {
    for (std::size_t i = 0; i < policy.thresholds.size(); ++i) {
      if (inputs_.policy.thresholds[i].IsHard() != acted_for().IsHard()) continue;
      if (SettingOf(i) == Setting()) change(policy.thresholds[i]);
    }
  }

  static void Free(DecisionInputs& pass, Signal signal, std::int64_t more) {
    MakeAvailable(signal, pass.policy.layout, more, pass.seen);
    if (pass.after_reclaim) MakeAvailable(signal, pass.policy.layout, more, *pass.after_reclaim);
  }

  // The limit of a pod as a whole is the sum of its containers'.
  static void SetLimit(const StorageViolation& violation, Nanos limit, PodFacts& facts) {
    const Nanos more = limit - facts.storage_limits[violation.index].limit;
    for (StorageLimit& each : facts.storage_limits) {
      const bool is_sum =
          violation.kind == StorageLimitKind::kContainer && each.kind == StorageLimitKind::kPod;
      if (is_sum) each.limit += more;
    }
    facts.storage_limits[violation.index].limit = limit;
  }

  // The least change that spares the pod.
  [[nodiscard]] std::optional<Found> Least(std::int64_t step, std::int64_t max,
                                           const Edit& edit) const {
    const auto least = LeastThat(step, max, [&](std::int64_t n) { return With(edit, n).spares; });
    if (!least) return std::nullopt;
    return Found{.amount = *least, .fate = With(edit, *least)};
  }

  // The least change from which on all larger ones lead to one outcome, if that spares the pod.
  [[nodiscard]] std::optional<Found> LeastAndMore(std::int64_t step, std::int64_t max,
                                                  const Edit& edit) const {
    const std::int64_t largest = max - max % step;
    if (largest < step) return std::nullopt;
    const Fate fate = With(edit, largest);
    if (!fate.spares) return std::nullopt;
    const auto least =
        LeastThat(step, largest, [&](std::int64_t n) { return With(edit, n) == fate; });
    return Found{.amount = *least, .fate = fate};
  }

  [[nodiscard]] Fate With(const Edit& edit, std::int64_t amount) const {
    DecisionInputs changed = inputs_;
    PodFacts facts = *active_.facts;
    PodStats stats = active_.stats != nullptr ? *active_.stats : PodStats{};
    changed.pods[pod_] = {&facts, active_.stats != nullptr ? &stats : nullptr};
    edit({changed, facts, stats}, amount);
    return FateOf(changed);
  }

  [[nodiscard]] Fate FateOf(const DecisionInputs& changed) const {
    const PassDecision pass = DecisionFor(changed);
    const Decision& decision = pass.decision;
    Fate fate{.threshold = decision.threshold};
    if (!decision.violations.empty()) {
      fate.outcome = PassOutcome::kStorageLimits;
      fate.victim = decision.violations.front().pod;
      fate.spares = std::ranges::find(decision.violations, pod_, &StorageViolation::pod) ==
                    decision.violations.end();
      return fate;
    }
    if (!decision.threshold) return fate;
    // How much another reclaim than the one that took place frees is not known.
    const bool is_same = std::ranges::equal(decision.reclaim, decision_.reclaim);
    fate.after_reclaim = !is_same && !decision.reclaim.empty();
    if (is_same && changed.after_reclaim && !decision.reclaim.empty() &&
        PressureRelieved(changed.policy.thresholds, *changed.after_reclaim)) {
      fate.outcome = PassOutcome::kRelieved;
    } else if (pass.pause || waiting_[*decision.threshold]) {
      fate.outcome = PassOutcome::kPaused;
    } else {
      fate.outcome = decision.victim ? PassOutcome::kEvicted : PassOutcome::kNobodyMayGo;
      fate.victim = decision.victim;
      fate.spares = decision.victim != pod_;
    }
    return fate;
  }

  void Add(Otherwise otherwise, const Fate& fate) {
    otherwise.outcome = fate.outcome;
    otherwise.after_reclaim = fate.after_reclaim;
    if (fate.threshold && fate.threshold != decision_.threshold) {
      otherwise.signal = inputs_.policy.thresholds[*fate.threshold].signal;
    }
    if (fate.victim) otherwise.victim = IdentityOf(*inputs_.pods[*fate.victim].facts).FullName();
    found_.push_back(std::move(otherwise));
  }

  const DecisionInputs& inputs_;
  const Decision& decision_;
  std::size_t pod_;
  ActivePod active_;
  ThresholdSet waiting_;  // evictions for these were found to wait, so the pass acted for another
  std::vector<Otherwise> found_;
};

// Whether the pod would be the first in the order if it used `more`.
bool IsFirstWith(const ShiftInputs& inputs, std::int64_t more) {
  std::vector<ActivePod> pods(inputs.pods.begin(), inputs.pods.end());
  ActivePod& pod = pods[inputs.index];
  PodStats stats;
  if (pod.stats != nullptr) {
    stats = *pod.stats;
    if (UseMore(*pod.facts, inputs.signal, inputs.layout, more, stats)) pod.stats = &stats;
  }
  return FirstVictim(pods, inputs.signal, inputs.layout, inputs.candidates) == inputs.index;
}

using Amount = std::optional<std::uint64_t>;

void Add(std::int64_t delta, Amount& amount) {
  const std::int64_t sum = static_cast<std::int64_t>(amount.value_or(0)) + delta;
  amount = static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0));
}

Amount& PartOf(FsUsage& usage, Resource resource) {
  return resource == Resource::kInodes ? usage.inodes_used : usage.used_bytes;
}

// Every figure of the pod's files.
std::vector<Amount*> FilesOf(PodStats& stats, Resource resource) {
  std::vector<Amount*> parts;
  for (VolumeStats& volume : stats.volumes) parts.push_back(&PartOf(volume.usage, resource));
  for (ContainerStats& container : stats.containers) {
    if (container.rootfs) parts.push_back(&PartOf(*container.rootfs, resource));
    if (container.logs) parts.push_back(&PartOf(*container.logs, resource));
  }
  return parts;
}

// The ranking knows which files count, so it is asked whether one more byte would matter.
bool Counts(const PodFacts& facts, const PodStats& stats, Signal signal, DiskLayout layout,
            Amount& part) {
  const ActivePod pod{&facts, &stats};
  const Nanos before = RankOf(pod, signal, layout).negated_excess;
  const Amount had = part;
  Add(1, part);
  const bool counts = RankOf(pod, signal, layout).negated_excess != before;
  part = had;
  return counts;
}

bool ChangeFiles(const PodFacts& facts, Signal signal, DiskLayout layout, std::int64_t delta,
                 PodStats& stats) {
  bool any = false;
  for (Amount* part : FilesOf(stats, ResourceOf(signal))) {
    if (!Counts(facts, stats, signal, layout, *part)) continue;
    any = true;
    const auto had = static_cast<std::int64_t>(part->value_or(0));
    const std::int64_t step = std::max(delta, -had);
    Add(step, *part);
    delta -= step;
    if (delta == 0) break;
  }
  return any;
}

// Takes up to `less` from the usage; the result is what was taken.
std::int64_t TakeFrom(std::int64_t less, FsUsage& usage) {
  const auto had = static_cast<std::int64_t>(usage.used_bytes.value_or(0));
  const std::int64_t taken = std::min(less, had);
  if (taken > 0) Add(-taken, usage.used_bytes);
  return taken;
}

// The signal whose memory or file system this one tells of.
Signal SourceOf(Signal signal, DiskLayout layout) {
  if (RowOf(signal).of_pods) return Signal::kMemoryAvailable;
  if (!IsOfDisk(signal)) return signal;
  return layout.dedicated_image_fs ? ContainerFsSource(signal, layout)
                                   : OnFileSystem(FileSystem::kNode, signal);
}

}  // namespace

PassDecision DecisionFor(const DecisionInputs& inputs) {
  const ReadingPlan plan{
      .now = inputs.now,
      .observations = inputs.seen,
      .evaluation = EvaluateBy(inputs.policy, inputs.before, inputs.seen, inputs.now)};
  return DecidePass(inputs.policy, plan, inputs.pods, inputs.pace);
}

std::vector<Otherwise> OtherwiseFor(const DecisionInputs& inputs, const PassDecision& pass,
                                    PassOutcome outcome, std::optional<std::size_t> subject) {
  const Decision& decision = pass.decision;
  std::vector<Otherwise> found;
  for (const StorageViolation& violation : decision.violations) {
    if (subject && violation.pod != *subject) continue;
    Changes changes(inputs, decision, violation.pod);
    changes.OfLimit(violation);
    std::ranges::move(changes.Take(), std::back_inserter(found));
  }
  if (!decision.violations.empty() || !decision.victim) return found;
  Changes changes(inputs, decision, *decision.victim);
  if (outcome == PassOutcome::kRelieved || outcome == PassOutcome::kReclaimUnderWay) {
    changes.WithoutReclaim();
  } else if (outcome == PassOutcome::kEvicted && !pass.pause) {
    changes.OfPressure();
  }
  return changes.Take();
}

std::optional<std::int64_t> MoreToBeFirst(const ShiftInputs& inputs) {
  const std::int64_t used =
      UsageOf(inputs.pods[inputs.index], inputs.signal, inputs.layout).value_or(inputs.capacity);
  return LeastThat(StepOf(inputs.signal), inputs.capacity - used,
                   [&](std::int64_t n) { return IsFirstWith(inputs, n); });
}

std::optional<std::int64_t> LessNotToBeFirst(const ShiftInputs& inputs) {
  const std::int64_t used =
      UsageOf(inputs.pods[inputs.index], inputs.signal, inputs.layout).value_or(0);
  const auto less = LeastThat(StepOf(inputs.signal), used,
                              [&](std::int64_t n) { return !IsFirstWith(inputs, -n); });
  if (!less) return std::nullopt;
  return std::min(*less, used);
}

bool UseMore(const PodFacts& facts, Signal signal, DiskLayout layout, std::int64_t more,
             PodStats& stats) {
  if (IsOfDisk(signal)) return ChangeFiles(facts, signal, layout, more, stats);
  if (const auto figure = FigureOf(ResourceOf(signal))) {
    if (stats.*figure) Add(more, stats.*figure);
    return (stats.*figure).has_value();
  }
  auto& share = stats.io_some_avg10;
  if (!share) return false;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  share = static_cast<std::int32_t>(std::clamp<std::int64_t>(*share + more, 0, kMost));
  return true;
}

void MakeAvailable(Signal signal, DiskLayout layout, std::int64_t more, Observations& seen) {
  for (const Signal each : kAllSignals) {
    if (SourceOf(each, layout) != SourceOf(signal, layout) || !seen[each]) continue;
    seen[each]->available = std::min(seen[each]->available + more, seen[each]->capacity);
  }
}

FreedBytes UseLessStorage(const StorageLimitFacts& limit, std::int64_t less, PodStats& stats) {
  FreedBytes freed;
  const auto left = [&] { return less - freed.node_fs - freed.container_fs; };
  const bool of_pod = limit.kind == StorageLimitKind::kPod;
  // Of several figures of one name the last counts.
  for (auto volume = stats.volumes.rbegin(); volume != stats.volumes.rend(); ++volume) {
    const bool limited = limit.kind == StorageLimitKind::kEmptyDir && volume->name == limit.name;
    if (of_pod || limited) freed.node_fs += TakeFrom(left(), volume->usage);
  }
  for (ContainerStats& container : stats.containers) {
    const bool limited = limit.kind == StorageLimitKind::kContainer && container.name == limit.name;
    if (!of_pod && !limited) continue;
    if (container.logs) freed.node_fs += TakeFrom(left(), *container.logs);
    if (container.rootfs) freed.container_fs += TakeFrom(left(), *container.rootfs);
  }
  if (of_pod) freed.node_fs += left();
  if (stats.ephemeral_storage) TakeFrom(less, *stats.ephemeral_storage);
  return freed;
}

}  // namespace jettison
