#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "core/model/summary.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// The pods of the pass under way, with the figures that have been read of them.
class PassPods {
 public:
  using Pods = std::vector<const PodFacts*>;

  // The figures of pods are put into `summary`. Both must outlive this.
  PassPods(Figures& figures, Summary& summary) : figures_(figures), summary_(summary) {}
  PassPods(const PassPods&) = delete;
  PassPods& operator=(const PassPods&) = delete;

  // A pass over these pods begins. Their facts must live until it is over.
  void Begin(const Pods& pods) { pods_ = pods; }
  [[nodiscard]] const Pods& pods() const { return pods_; }

  // Reads the figures of all pods that the plan asks for. Those of the victim's containers are left
  // to ReadVictim.
  void ReadFor(const ReadingPlan& plan);
  // Reads all figures of all pods; `disk`: what they have on disk, null where that is unknown.
  void ReadAll(const DiskUse* disk) { figures_.ReadPods(pods_, disk, summary_.pods); }
  // Reads what the plan asks for of the victim, an index among the pods.
  void ReadVictim(const ReadingPlan& plan, std::size_t victim);

  // Joins the pods with their figures, after each reading anew.
  void Join() { JoinStats(pods_, summary_, joined_); }
  [[nodiscard]] std::span<const ActivePod> joined() const { return joined_; }

 private:
  Figures& figures_;
  Summary& summary_;
  Pods pods_;
  std::vector<ActivePod> joined_;
};

}  // namespace jettison
