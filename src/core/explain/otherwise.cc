#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "core/decide/ranking.h"
#include "core/explain/explain.h"
#include "core/model/pod.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

using Change = Otherwise::Change;

// Amounts of memory and disk are rounded to whole KiB; counts and shares are exact.
std::int64_t StepOf(Signal signal) {
  constexpr std::int64_t kKi = 1024;
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

// The signal whose memory or file system this one tells of.
Signal SourceOf(Signal signal, DiskLayout layout) {
  if (RowOf(signal).of_pods) return Signal::kMemoryAvailable;
  if (!IsOfDisk(signal)) return signal;
  return layout.dedicated_image_fs ? ContainerFsSource(signal, layout)
                                   : OnFileSystem(FileSystem::kNode, signal);
}

// Changes the observations as if `more` had been available of what the signal tells of: the signal
// itself, and every other one that tells of the same memory or the same file system.
void MakeAvailable(Signal signal, DiskLayout layout, std::int64_t more, Observations& seen) {
  for (const Signal each : kAllSignals) {
    if (SourceOf(each, layout) != SourceOf(signal, layout) || !seen[each]) continue;
    seen[each]->available = std::min(seen[each]->available + more, seen[each]->capacity);
  }
}

// The inputs of a pass that evicts a pod, with what may be changed of them.
struct Inputs {
  DecisionInputs pass;
  PodFacts facts;  // of the pod
  PodStats stats;
};

// One kind of change of what is `now`: by a multiple of `step`, by about `most` at most.
struct Edit {
  Change change;
  std::int64_t now = 0;
  std::int64_t step = 1;
  std::int64_t most = 0;
  std::function<void(Inputs&, std::int64_t)> make;
};

// What would become of the pass; absent: it would evict the same pod. `waited` are thresholds that
// act and whose evictions were found to wait, so that the pass acted for another.
std::optional<Otherwise> WithoutVictim(const DecisionInputs& changed, const Decision& before,
                                       ThresholdSet waited) {
  const PassDecision pass = DecisionFor(changed);
  const Decision& decision = pass.decision;
  const std::vector<Threshold>& thresholds = changed.policy.thresholds;
  Otherwise then;
  if (!decision.threshold) return then;
  // How much another reclaim than the one that took place frees is not known.
  const bool is_same = std::ranges::equal(decision.reclaim, before.reclaim);
  then.after_reclaim = !is_same && !decision.reclaim.empty();
  if (decision.threshold != before.threshold) then.signal = thresholds[*decision.threshold].signal;
  if (is_same && changed.after_reclaim && !decision.reclaim.empty() &&
      PressureRelieved(thresholds, *changed.after_reclaim)) {
    then.outcome = PassOutcome::kRelieved;
  } else if (pass.pause || waited[*decision.threshold]) {
    then.outcome = PassOutcome::kPaused;
  } else if (!decision.victim) {
    then.outcome = PassOutcome::kNobodyMayGo;
  } else if (decision.victim == before.victim) {
    return std::nullopt;
  } else {
    then.outcome = PassOutcome::kEvicted;
    then.victim = FullName(changed.pods[*decision.victim].facts->pod);
  }
  return then;
}

// Whether the pod would be the first in the order if it used `more`.
bool IsFirstWith(const ShiftInputs& inputs, std::int64_t more) {
  std::vector<ActivePod> pods(inputs.pods.begin(), inputs.pods.end());
  PodStats stats = *pods[inputs.index].stats;
  UseMore(inputs.signal, inputs.layout, more, stats);
  pods[inputs.index].stats = &stats;
  return FirstVictim(pods, inputs.signal, inputs.layout, inputs.candidates) == inputs.index;
}

}  // namespace

PassDecision DecisionFor(const DecisionInputs& inputs) {
  const ReadingPlan plan{
      .now = inputs.now,
      .observations = inputs.seen,
      .evaluation = Evaluate(inputs.policy, inputs.before, inputs.seen, inputs.now)};
  return DecidePass(inputs.policy, plan, inputs.pods, inputs.pace);
}

std::vector<Otherwise> OtherwiseFor(const DecisionInputs& inputs, const Decision& decision) {
  const Signal signal = inputs.policy.thresholds[*decision.threshold].signal;
  const DiskLayout layout = inputs.policy.layout;
  const ActivePod& victim = inputs.pods[*decision.victim];
  const Observation& seen = *inputs.seen[signal];
  const std::int64_t step = StepOf(signal);
  // How much less time a pod that uses less would lose to stalls is not known.
  const std::int64_t used = IsPressure(signal) ? 0 : UsageOf(victim, signal, layout).value_or(0);
  const auto free = [&](Inputs& in, std::int64_t more) {
    MakeAvailable(signal, layout, more, in.pass.seen);
    if (in.pass.after_reclaim) MakeAvailable(signal, layout, more, *in.pass.after_reclaim);
  };
  const auto use_less = [&](Inputs& in, std::int64_t less) {
    UseMore(signal, layout, -std::min(less, used), in.stats);
    free(in, std::min(less, used));
  };
  // Memory requests also count for memory that is swapped out.
  const auto request = [&](Inputs& in, std::int64_t amount) {
    const bool of_disk = ResourceOf(signal) == Resource::kEphemeralStorage;
    Nanos& had = of_disk ? in.facts.ephemeral_storage_request : in.facts.memory_request;
    had = std::max(had, Nanos{amount} * kNanosPerUnit);
  };
  const auto raise = [](Inputs& in, std::int64_t by) {
    in.facts.priority = static_cast<std::int32_t>(in.facts.priority + by);
  };
  const std::int64_t priority = victim.facts->priority;
  const std::int64_t most_requested = UnitNameOf(signal) == "bytes" ? std::int64_t{1} << 60 : 0;
  const Edit edits[] = {
      {Change::kUsage, used, step, used, use_less},
      {Change::kRequest, 0, step, most_requested, request},
      {Change::kPriority, priority, 1, kSystemCriticalPriority - priority - 1, raise},
      {Change::kAvailable, seen.available, step, seen.capacity - seen.available, free}};

  const Evaluation all = Evaluate(inputs.policy, inputs.before, inputs.seen, inputs.now);
  const ThresholdSet waited = all.acting & ~ToActOn(inputs.policy, all, inputs.pace);
  std::vector<Otherwise> found;
  for (const Edit& edit : edits) {
    const auto with = [&](std::int64_t amount) {
      Inputs changed{inputs, *victim.facts, victim.stats ? *victim.stats : PodStats{}};
      edit.make(changed, amount);
      changed.pass.pods[*decision.victim] = {&changed.facts,
                                             victim.stats ? &changed.stats : nullptr};
      return WithoutVictim(changed.pass, decision, waited);
    };
    const auto least = LeastThat(edit.step, edit.most,
                                 [&](std::int64_t amount) { return with(amount).has_value(); });
    if (!least) continue;
    Otherwise& otherwise = found.emplace_back(*with(*least));
    const bool is_less = edit.change == Change::kUsage;
    const std::int64_t by = is_less ? std::min(*least, used) : *least;
    otherwise.change = edit.change;
    if (edit.change != Change::kAvailable) otherwise.pod = FullName(victim.facts->pod);
    if (edit.change != Change::kRequest) otherwise.by = by;
    otherwise.to = edit.now + (is_less ? -by : by);
  }
  return found;
}

std::optional<std::int64_t> ShiftOf(const ShiftInputs& inputs) {
  const auto used = UsageOf(inputs.pods[inputs.index], inputs.signal, inputs.layout);
  if (!used) return std::nullopt;
  const std::int64_t step = StepOf(inputs.signal);
  if (!IsFirstWith(inputs, 0)) {
    return LeastThat(step, inputs.capacity - *used,
                     [&](std::int64_t n) { return IsFirstWith(inputs, n); });
  }
  const auto less = LeastThat(
      step, *used, [&](std::int64_t n) { return !IsFirstWith(inputs, -std::min(n, *used)); });
  return less ? std::optional(std::min(*less, *used)) : std::nullopt;
}

void UseMore(Signal signal, DiskLayout layout, std::int64_t more, PodStats& stats) {
  const Resource resource = ResourceOf(signal);
  if (resource == Resource::kIo) {
    *stats.io_some_avg10 += static_cast<std::int32_t>(more);
    return;
  }
  std::optional<std::uint64_t>* figure = nullptr;
  if (const auto of_pod = FigureOf(resource)) {
    figure = &(stats.*of_pod);
  } else {
    // The file system of images alone has nothing of a pod but its writable layers.
    const bool in_layers = layout.dedicated_image_fs && !layout.dedicated_container_fs &&
                           RowOf(signal).disk != FileSystem::kNode;
    const std::string_view name = in_layers ? kDeletedInLayers : kDeletedFiles;
    auto files = std::ranges::find(stats.volumes, name, &VolumeStats::name);
    if (files == stats.volumes.end()) {
      files = stats.volumes.insert(files, {.name = std::string(name), .usage = {}});
    }
    FsUsage& usage = files->usage;
    figure = resource == Resource::kInodes ? &usage.inodes_used : &usage.used_bytes;
  }
  // Less than nothing wraps around, and the sum with the pod's other figures is right again.
  *figure = figure->value_or(0) + static_cast<std::uint64_t>(more);
}

}  // namespace jettison
