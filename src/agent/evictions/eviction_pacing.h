#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "agent/evictions/early_kills.h"
#include "agent/evictions/ending_pods.h"
#include "agent/evictions/held_sums.h"
#include "agent/evictions/node_edges.h"
#include "agent/evictions/pace_keeper.h"
#include "agent/evictions/pace_looks.h"
#include "agent/evictions/paused_eviction.h"
#include "agent/kept/kept_state.h"
#include "core/decide/eviction_pace.h"
#include "core/model/signal.h"
#include "core/observe/observations.h"
#include "core/pods/pod_facts.h"
#include "core/report/cycle_report.h"
#include "core/units/duration.h"

namespace jettison {

// The inputs of a pass that acts for a threshold and has just read the pods.
struct PacedPass {
  Signal signal = Signal::kMemoryAvailable;
  const Observation& seen;  // of the signal
  std::int64_t line = 0;    // of the threshold
  std::span<const ActivePod> pods;
  DiskLayout layout;
  std::optional<Instant> next_by_clock;  // as in PaceInput
  Instant now;
};

// Decides whether evictions wait so that they are not faster than the kubelet's
// (decide/eviction_pace), and kills ending pods early if the node would run out
// (decide/early_kill).
class EvictionPacing {
 public:
  explicit EvictionPacing(const NodeEdges& edges);

  // An eviction was carried out, or would have been in a dry run.
  void Evicted(Resource resource, bool hard, Duration grace, Instant now);
  // Pods are ending from now on.
  void PodsEnd(Instant now) { looks_.Begin(now); }
  void CleanedUp(bool all_gone, Instant now) { keeper_.CleanedUp(all_gone, now); }
  // The kernel's OOM killer has ended a container of the pod. It counts where the pod has no limit
  // of its own.
  void Lost(std::string_view pod_uid, Instant now);
  // Continues the wait for evicted pods which an earlier agent began at `began`.
  void Resume(const KeptWait& wait, Instant began, Instant now);

  // Reads the figures of ending pods, if any are `awaited`. Must be called right after the node's
  // own figures are read.
  void ReadEnding(bool awaited);
  // What has just been observed.
  void Seen(const Observations& seen, Instant now) { keeper_.Seen(seen, now); }
  // Sets why soft evictions wait in the next pass; absent: they do not wait.
  void SetSoftHold(std::optional<SoftHold> hold) { soft_ = hold; }
  // Prepares the input of the next pass; absent: it acts for no threshold.
  void Prepare(const std::optional<PacedPass>& pass);
  // Whether an eviction for the signal now depends on the sums over all pods, because there was a
  // recent eviction, or pods are ending. If not, a pass that has read only some of the pods calls
  // PrepareForFirst, and TakeSums when it has read all.
  [[nodiscard]] bool NeedsSums(Signal signal, Instant now) const;
  void PrepareForFirst(Signal signal, std::optional<Instant> next_by_clock);
  void TakeSums(const PacedPass& pass);
  // Prepares the input of a pass that acts for `pass` because another eviction waits, the growth
  // for which continues to be measured. The pods of `pass` need not have been read. False: this
  // eviction waits as well, because there was a recent one for its resource, or because ending pods
  // hold all that is missing.
  [[nodiscard]] bool PrepareBeside(const PacedPass& pass);
  // The input of that pass.
  [[nodiscard]] const std::optional<PaceInput>& input() const { return input_; }
  // A pass is over. Returns whether it reports another wait than the pass before. `awaited`:
  // whether evicted pods are awaited.
  bool PassDone(const CycleReport& report, bool awaited, Instant now);
  // Ends the pause if no threshold of its signal is overdue any more.
  void EndPauseUnless(std::span<const Threshold> thresholds, ThresholdSet overdue) {
    paused_.EndUnless(thresholds, overdue);
  }
  [[nodiscard]] const PausedEviction& paused() const { return paused_; }

  // Plans the next look; `hard`: pods are ending with the grace period of a hard eviction. A look
  // shows nothing of disks.
  void PlanLook(bool hard, Instant now) {
    looks_.Plan(hard || (paused_.IsForPace() && !paused_.IsForDisk(now)), now);
  }
  [[nodiscard]] std::optional<Instant> look_due() const { return looks_.due(); }
  [[nodiscard]] bool LookCountsPids(Instant now) { return looks_.CountsPids(now); }
  // Kills ending pods that must be killed early. Returns how many.
  std::size_t Hasten(const Observations& seen, DiskLayout layout, Instant now);
  [[nodiscard]] std::vector<EarlyKill> TakeEarlyKills() { return early_kills_.Take(); }

  // Working sets of the pods that are ending, as last read.
  [[nodiscard]] std::int64_t HeldByEnding() const { return ending_.WorkingSets(); }
  // The input that a pass would have now; absent: no pass has acted for a threshold yet.
  [[nodiscard]] std::optional<PaceInput> InputNow(std::optional<Instant> next_by_clock,
                                                  Instant now) const;

 private:
  [[nodiscard]] PaceInput InputFor(Signal signal, std::optional<Instant> next_by_clock,
                                   Instant now) const;

  const PodTable& pods_;
  Figures& figures_;
  PaceKeeper keeper_;
  std::optional<PaceInput> input_;
  std::optional<SoftHold> soft_;
  PausedEviction paused_;
  PaceLooks looks_;
  EndingPods ending_;
  HeldSums held_;
  EarlyKills early_kills_;
};

}  // namespace jettison
