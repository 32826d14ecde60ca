#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "agent/passes/node_dependencies.h"
#include "agent/passes/node_state.h"
#include "core/text/text_index.h"
#include "core/units/duration.h"

namespace jettison {

// How long a decision for a disk waits for the measurement of pods' files. Ordinary walks end
// within this time. A pod that writes 200 MiB/s needs about ten times as long to fill the 5 GiB
// that a threshold leaves.
inline constexpr Duration kDiskUsePatience = std::chrono::seconds(3);

// What the result of a walk is good for.
enum class WalkResult : std::uint8_t {
  kCounts,
  kWalksAgain,  // whoever filled a disk may not be in it; another walk has begun
  kUnread,      // files could not be read which may belong to whoever filled a disk
};

// The walks through the files of a node's pods: when one is needed, what waits for it, and what its
// result is good for.
class NodeWalks {
 public:
  // All of them must outlive this.
  NodeWalks(const NodeSettings& settings, const NodeDependencies& dependencies,
            const NodeState& node);

  // Whether there are pods, and anything depends on their disk use.
  [[nodiscard]] bool AreNeeded() const;
  // Whether the full pass can do with the last walk's result, because the disks rest.
  [[nodiscard]] bool LastServes(const ReadingPlan& plan) const;
  void Begin(const ReadingPlan& plan);
  // Must be called with the result of a walk.
  [[nodiscard]] WalkResult Judge(const ReadingPlan& plan, const DiskUse& disk);
  // Lets walks hurry while something waits for them.
  void SetUrgency();

  // Whether an eviction for a disk has to wait for a walk. It does not where no disk is short,
  // where a reclaim is under way, whose end requests a full pass, or where the pace holds it up.
  [[nodiscard]] bool Await(const ReadingPlan& plan);
  // No eviction for a disk waits for a walk any more.
  void DropDemand() {
    demanded_at_.reset();
    extended_to_.reset();
  }
  // Whether the wait has been too long: the last known figures must do.
  [[nodiscard]] bool HaveKeptWaiting(Instant now) const {
    const auto gives_up = GivesUpAt();
    return gives_up && *gives_up <= now;
  }
  // A pass did what can be done for the disk without pods' disk use.
  void PassedWithout(Instant now) { passed_without_at_ = now; }
  // Whether another such pass could not decide anything new.
  [[nodiscard]] bool IsDoneWithout(const ReadingPlan& plan) const;
  // When the wait for a walk ends; absent: no decision waits.
  [[nodiscard]] std::optional<Instant> GivesUpAt() const;

 private:
  // The wait for a walk starts with the first call.
  void Demand(Instant now) {
    if (!demanded_at_) demanded_at_ = now;
  }
  void BeginWalk(bool disk_is_short, Instant now);
  [[nodiscard]] bool FindsDiskShort(const ReadingPlan& plan) const;
  [[nodiscard]] bool IsUnderPressure() const;
  // Whether the next eviction for a disk waits for its time; what holds a soft one up does not
  // concern a hard one.
  [[nodiscard]] bool IsPausedFor(const ReadingPlan& plan) const;

  Duration interval_;
  Duration serves_for_;
  const PodTable& pods_;
  const LastingReclaimer& reclaimer_;
  DiskWalks& walks_;
  const NodeState& node_;
  // The last walk, and the pods that it began with.
  TextSet uids_;
  std::optional<Instant> began_at_;
  bool began_short_ = false;
  std::optional<Instant> demanded_at_;
  std::optional<Instant> extended_to_;  // for pods whose files could not be read
  std::optional<Instant> passed_without_at_;
};

}  // namespace jettison
