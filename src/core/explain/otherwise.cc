#include <algorithm>
#include <string>
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

// Tries changes of the inputs of a pass that evicts a pod.
class Changes {
 public:
  struct Inputs {
    DecisionInputs pass;
    PodFacts facts;  // of the pod
    PodStats stats;
  };

  Changes(const DecisionInputs& inputs, const Decision& decision)
      : inputs_(inputs), decision_(decision), victim_(inputs.pods[*decision.victim]) {
    const Evaluation all = Evaluate(inputs.policy, inputs.before, inputs.seen, inputs.now);
    waiting_ = all.acting & ~ToActOn(inputs.policy, all, inputs.pace);
  }

  // The least change with which the pod is spared, up to `max`; `edit(inputs, amount)` makes one.
  template <typename Edit>
  std::optional<Otherwise> Least(Change change, std::int64_t step, std::int64_t max,
                                 const Edit& edit) const {
    const auto with = [&](std::int64_t amount) {
      Inputs changed{inputs_, *victim_.facts, victim_.stats ? *victim_.stats : PodStats{}};
      edit(changed, amount);
      changed.pass.pods[*decision_.victim] = {&changed.facts,
                                              victim_.stats ? &changed.stats : nullptr};
      return WithoutVictim(changed.pass);
    };
    const auto least = LeastThat(step, max, [&](std::int64_t n) { return with(n).has_value(); });
    if (!least) return std::nullopt;
    std::optional<Otherwise> otherwise = with(*least);
    otherwise->change = change;
    if (change != Change::kAvailable) otherwise->pod = FullName(victim_.facts->pod);
    otherwise->by = *least;
    return otherwise;
  }

 private:
  // What would become of the pass; absent: it would evict the same pod.
  [[nodiscard]] std::optional<Otherwise> WithoutVictim(const DecisionInputs& changed) const {
    const PassDecision pass = DecisionFor(changed);
    const Decision& decision = pass.decision;
    Otherwise then;
    if (!decision.threshold) return then;
    // How much another reclaim than the one that took place frees is not known.
    const bool is_same = std::ranges::equal(decision.reclaim, decision_.reclaim);
    then.after_reclaim = !is_same && !decision.reclaim.empty();
    if (decision.threshold != decision_.threshold) {
      then.signal = inputs_.policy.thresholds[*decision.threshold].signal;
    }
    if (is_same && changed.after_reclaim && !decision.reclaim.empty() &&
        PressureRelieved(changed.policy.thresholds, *changed.after_reclaim)) {
      then.outcome = PassOutcome::kRelieved;
    } else if (pass.pause || waiting_[*decision.threshold]) {
      then.outcome = PassOutcome::kPaused;
    } else if (!decision.victim) {
      then.outcome = PassOutcome::kNobodyMayGo;
    } else if (decision.victim == decision_.victim) {
      return std::nullopt;
    } else {
      then.outcome = PassOutcome::kEvicted;
      then.victim = FullName(inputs_.pods[*decision.victim].facts->pod);
    }
    return then;
  }

  const DecisionInputs& inputs_;
  const Decision& decision_;
  ActivePod victim_;
  ThresholdSet waiting_;  // evictions for these were found to wait, so the pass acted for another
};

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
  const auto free = [&](DecisionInputs& pass, std::int64_t more) {
    MakeAvailable(signal, layout, more, pass.seen);
    if (pass.after_reclaim) MakeAvailable(signal, layout, more, *pass.after_reclaim);
  };
  const Changes changes(inputs, decision);
  std::vector<Otherwise> found;
  if (auto less = changes.Least(Change::kUsage, step, used, [&](auto& in, std::int64_t n) {
        const std::int64_t by = std::min(n, used);
        UseMore(signal, layout, -by, in.stats);
        free(in.pass, by);
      })) {
    less->by = std::min(less->by, used);
    less->to = used - less->by;
    found.push_back(*std::move(less));
  }
  // Memory requests also count for memory that is swapped out.
  const bool of_disk = ResourceOf(signal) == Resource::kEphemeralStorage;
  const std::int64_t most = UnitNameOf(signal) == "bytes" ? std::int64_t{1} << 60 : 0;
  if (auto request = changes.Least(Change::kRequest, step, most, [&](auto& in, std::int64_t n) {
        Nanos& had = of_disk ? in.facts.ephemeral_storage_request : in.facts.memory_request;
        had = std::max(had, Nanos{n} * kNanosPerUnit);
      })) {
    request->to = std::exchange(request->by, 0);
    found.push_back(*std::move(request));
  }
  const std::int64_t priority = victim.facts->priority;
  const std::int64_t to_critical = kSystemCriticalPriority - priority;
  if (auto higher =
          changes.Least(Change::kPriority, 1, to_critical - 1, [&](auto& in, std::int64_t n) {
            in.facts.priority = static_cast<std::int32_t>(priority + n);
          })) {
    higher->to = priority + higher->by;
    found.push_back(*std::move(higher));
  }
  if (auto more = changes.Least(Change::kAvailable, step, seen.capacity - seen.available,
                                [&](auto& in, std::int64_t n) { free(in.pass, n); })) {
    more->to = seen.available + more->by;
    found.push_back(*std::move(more));
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
