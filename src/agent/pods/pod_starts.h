#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/pods/pod_slots.h"
#include "agent/workers/worker_dependencies.h"
#include "core/model/profile.h"
#include "core/model/signal.h"
#include "core/pods/admission.h"
#include "core/pods/room.h"
#include "core/units/duration.h"

namespace jettison {

// Starts pods that admission accepts and that fit on the node. Pods of lower priority are
// preempted, but no foreign ones, because nobody would start them again. In a dry run nobody is.
// Evicted pods are started again after their back-off, at most one between two passes.
class PodStarts {
 public:
  // `slots` and `dependencies` must outlive this. `allocatable`: what the pods' requests may sum up
  // to; absent: not limited.
  PodStarts(Profile profile, PodSlots& slots, WorkerDependencies& dependencies,
            std::optional<SharedAmounts> allocatable)
      : profile_(profile),
        slots_(&slots),
        dependencies_(&dependencies),
        allocatable_(allocatable) {}

  void SetAllocatable(SharedAmounts allocatable) { allocatable_ = allocatable; }
  // A pass is over. While the node is `starved`, no evicted pod is started again. Returns whether
  // admission may answer differently now.
  bool PassDone(NodeConditions conditions, bool starved);
  // No evicted pod is started again from now on.
  void Stop() { stopping_ = true; }
  // Starts a wanted pod that is not on the node. If it may not start, its slot says why.
  void StartIfMay(PodSlot& slot, Instant now);
  void ComeBack(Instant now);
  // When ComeBack has something to do without any event; absent: never.
  [[nodiscard]] std::optional<Instant> NextComeBack() const;

 private:
  void Start(PodSlot& slot, Instant now);
  void Refuse(PodSlot& slot, AdmissionAnswer answer, Instant now);
  [[nodiscard]] bool HasRoom(PodSlot& slot, Instant now);
  // In a dry run: the pod waits, and it is said whom it would preempt.
  void WaitInDryRun(PodSlot& slot, const std::vector<PodSlot*>& give_way);
  void GiveWay(OnNode& pod, const PodFacts& to, Instant now);
  [[nodiscard]] std::vector<WaitingPod> Waiting() const;

  Profile profile_;
  PodSlots* slots_;
  WorkerDependencies* dependencies_;
  std::optional<SharedAmounts> allocatable_;
  NodeConditions conditions_;
  bool starved_ = false;    // in the last pass
  bool came_back_ = false;  // since the last pass
  bool stopping_ = false;
};

}  // namespace jettison
