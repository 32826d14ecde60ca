#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "agent/eviction_pacing.h"
#include "agent/kept_state.h"
#include "agent/node_counters.h"
#include "agent/node_edges.h"
#include "agent/node_standing.h"
#include "agent/pass_policies.h"
#include "agent/pass_record.h"
#include "pass/pass.h"
#include "pass/recorded_pass.h"

namespace jettison {

// When a pass is made, and what brought it about.
struct PassMoment {
  Instant now;
  Instant woken;                         // by the kernel, the clock, or figures waited for
  std::optional<Instant> next_by_clock;  // as in PaceInput
};

// Makes the passes of one node: reads the figures that each needs, runs it, tells what it did and
// keeps what the next one goes on from. Somebody else says when a pass is made.
class NodePasses : private SummarySource {
 public:
  NodePasses(const NodeSettings& settings, const NodeEdges& edges, PassCounters& counters);

  [[nodiscard]] const PassPolicies& policy() const { return policies_; }
  // Other terms from now on. What was met stays met where the line is the same.
  void TakePolicy(PassPolicy policy, Instant now);
  // Goes on where an agent before was.
  void Resume(const KeptNode& kept, Instant now);
  // The machine was suspended for so long.
  void Slept(Duration slept, Instant now) { PutOff(slept, now, standing_); }

  // Reads all figures of the node, and what pods hold that are ending.
  void ReadNode();
  // Reads memory, swap and pressure of the node; the rest stays.
  void ReadNodeMemory() { edges_.figures.ReadNodeMemory(summary_.node); }
  // Reads what the pace of evictions is looked at by.
  void ReadForPace(Instant now);
  // What the node's present figures say.
  [[nodiscard]] Observations Seen() const { return ObservationsFrom(summary_); }
  [[nodiscard]] Evaluation EvaluateNow(Instant now) const;
  // Whether the wait for evicted pods leaves a pass that would act for this threshold.
  [[nodiscard]] bool MayDecide(std::optional<std::size_t> threshold) const;

  // Reads of the pods what a watch pass for this threshold needs.
  void ReadPodsFor(std::optional<std::size_t> threshold, const PassMoment& moment);
  // Reads all of the pods but their files.
  void ReadPodsWithoutDisk(std::size_t threshold, const PassMoment& moment);
  // Reads all of the pods beside what was measured of their files.
  void ReadPodsWith(const DiskUse& disk, std::optional<std::size_t> threshold,
                    const PassMoment& moment);
  // Whether a pass over what was just read would only say again that the eviction waits.
  [[nodiscard]] bool IsToldPause(std::optional<std::size_t> threshold, Instant now) const;
  // Decides by what was just read, acts and tells.
  const CycleReport& Run(PassKind kind, const PassMoment& moment);
  // That was a full pass, and this is what it was made of.
  void KeepMeasured(const DiskUse& disk, Instant now) {
    record_.pods.Take(summary_.pods, disk, now);
  }

  // Looks whether the evicted pods are gone; true once, when the wait for them is over.
  [[nodiscard]] bool CheckCleanup(Instant now);
  // Kills pods that are ending already where what is left would not last.
  void Hasten(Instant now);

  [[nodiscard]] EvictionPacing& pacing() { return pacing_; }
  [[nodiscard]] const EvictionPacing& pacing() const { return pacing_; }
  [[nodiscard]] const NodeStanding& standing() const { return standing_; }
  [[nodiscard]] const Summary& summary() const { return summary_; }
  [[nodiscard]] const PassRecord& record() const { return record_; }
  // Another number whenever what outlives the agent may have changed by anything but time.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

 private:
  [[nodiscard]] Result<Summary> ReadSummary() override;
  void MarkStale(const DiskUse* disk);
  void Prepare(std::optional<std::size_t> threshold, const PassMoment& moment);
  void Tell(const CycleReport& report, NodeConditions before, Instant now);
  void AwaitCleanup(const CycleReport& report, Instant now);
  void TellPause(const CycleReport& report, Instant now);
  void Record(RecordedPass pass, PassKind kind, const std::vector<const PodFacts*>& pods);

  NodeEdges edges_;
  bool record_passes_;
  PassCounters& counters_;
  PassPolicies policies_;
  NodeStanding standing_;
  Summary summary_;
  std::vector<ActivePod> joined_;
  EvictionPacing pacing_;
  PassRecord record_;
  std::optional<Summary> after_reclaim_;  // what the reclaim of this pass was judged by
  std::uint64_t changes_ = 0;
};

}  // namespace jettison
