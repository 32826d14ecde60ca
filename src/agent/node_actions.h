#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/edges.h"
#include "agent/pod_table.h"
#include "model/images.h"
#include "ports/clock.h"

namespace jettison {

// Evicts pods of the table.
class TableKiller : public NodeKiller {
 public:
  TableKiller(PodTable& table, const Clock& clock) : table_(table), clock_(clock) {}
  [[nodiscard]] Result<void> Evict(const EvictionOrder& order) override;
  [[nodiscard]] std::vector<std::string> TakeEnding() override {
    return std::exchange(ending_, {});
  }

 private:
  PodTable& table_;
  const Clock& clock_;
  std::vector<std::string> ending_;
};

// Evicts nobody: for a dry run.
class DryRunKiller : public NodeKiller {
 public:
  [[nodiscard]] Result<void> Evict(const EvictionOrder&) override { return {}; }
  [[nodiscard]] std::vector<std::string> TakeEnding() override { return {}; }
};

// Whether pods that have ended keep their dead containers.
enum class ForgetOf : bool { kRestartingPodsOnly, kEndedPodsToo };
// Forgets dead containers of the table's pods, those that the policy does not keep; how many.
std::size_t ForgetDeadContainers(PodTable& table, const ContainerGcPolicy& policy, ForgetOf which,
                                 Instant now);

// A reclaimer that is done when its calls return.
class PromptReclaimer : public LastingReclaimer {
 public:
  void Advance(Instant) override {}
  [[nodiscard]] std::optional<Instant> NextDeadline() const override { return std::nullopt; }
  [[nodiscard]] bool UnderWay() const override { return false; }
  void Forget() override {}
};

// Frees dead containers of the table's pods. There are no images: a container of the process
// runtime is a program of the host.
class TableReclaimer : public PromptReclaimer {
 public:
  TableReclaimer(PodTable& table, const ContainerGcPolicy& policy, const Clock& clock)
      : table_(table), policy_(policy), clock_(clock) {}
  [[nodiscard]] Result<ReclaimProgress> DeleteDeadContainers() override;
  [[nodiscard]] Result<ReclaimProgress> DeleteUnusedImages() override {
    return ReclaimProgress::kDone;
  }

 private:
  PodTable& table_;
  ContainerGcPolicy policy_;
  const Clock& clock_;
};

// Frees nothing: for a dry run.
class DryRunReclaimer : public PromptReclaimer {
 public:
  [[nodiscard]] Result<ReclaimProgress> DeleteDeadContainers() override {
    return ReclaimProgress::kDone;
  }
  [[nodiscard]] Result<ReclaimProgress> DeleteUnusedImages() override {
    return ReclaimProgress::kDone;
  }
};

}  // namespace jettison
