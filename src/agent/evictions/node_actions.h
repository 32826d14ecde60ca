#pragma once

#include <cstddef>
#include <optional>

#include "agent/dependencies/dependencies.h"
#include "agent/pods/pod_table.h"
#include "core/model/images.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "ports/node_actions.h"

namespace jettison {

// Whether pods that have ended keep their dead containers.
enum class ForgetOf : bool { kRestartingPodsOnly, kEndedPodsToo };
// Removes the dead containers of the table's pods that the policy does not keep. Returns how many.
std::size_t ForgetDeadContainers(PodTable& table, const ContainerGcPolicy& policy, ForgetOf which,
                                 Instant now);

// Removes dead containers of the table's pods. The runtime may take up to a minute for it, then the
// reclaim has failed. There are no images to delete, because a container of the process runtime is
// a program of the host.
class TableReclaimer : public LastingReclaimer {
 public:
  // Everything must outlive it.
  TableReclaimer(PodTable& table, const ContainerRuntime& runtime, const ContainerGcPolicy& policy,
                 const Clock& clock)
      : table_(table), runtime_(runtime), policy_(policy), clock_(clock) {}
  [[nodiscard]] Result<ReclaimProgress> DeleteDeadContainers() override;
  [[nodiscard]] Result<ReclaimProgress> DeleteUnusedImages() override {
    return ReclaimProgress::kDone;
  }
  void Advance(Instant now) override;
  [[nodiscard]] std::optional<Instant> NextDeadline() const override { return give_up_at_; }
  [[nodiscard]] bool UnderWay() const override { return give_up_at_.has_value(); }
  void Forget() override { outcome_.reset(); }

 private:
  [[nodiscard]] bool IsRemoving(Instant now) const;

  PodTable& table_;
  const ContainerRuntime& runtime_;
  ContainerGcPolicy policy_;
  const Clock& clock_;
  std::optional<Instant> give_up_at_;    // the runtime is at it
  std::optional<Result<void>> outcome_;  // of what was asked for and is over
};

// Frees nothing: for a dry run.
class DryRunReclaimer : public LastingReclaimer {
 public:
  [[nodiscard]] Result<ReclaimProgress> DeleteDeadContainers() override {
    return ReclaimProgress::kDone;
  }
  [[nodiscard]] Result<ReclaimProgress> DeleteUnusedImages() override {
    return ReclaimProgress::kDone;
  }
  void Advance(Instant) override {}
  [[nodiscard]] std::optional<Instant> NextDeadline() const override { return std::nullopt; }
  [[nodiscard]] bool UnderWay() const override { return false; }
  void Forget() override {}
};

}  // namespace jettison
