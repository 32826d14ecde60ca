#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "agent/edges/edges.h"
#include "agent/passes/reading/contenders.h"
#include "agent/passes/reading/pod_figures_shelf.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/pass/reading_plan.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// The pods of the pass under way, with the figures that have been read of them. Reads what the pass
// asks for, and nothing else, into memory that is kept from pass to pass.
class PassPods {
 public:
  using Pods = std::vector<const PodFacts*>;

  // The figures of pods are put into `summary`. Both must outlive this.
  PassPods(Figures& figures, Summary& summary);
  PassPods(const PassPods&) = delete;
  PassPods& operator=(const PassPods&) = delete;

  // A pass over these pods begins. Their facts must live until it is over.
  void Begin(const Pods& pods);
  [[nodiscard]] const Pods& pods() const { return pods_; }

  // Reads the figures of all pods that the plan asks for. Those of the victim's containers are left
  // to ReadVictim.
  void ReadFor(const ReadingPlan& plan);
  // Reads until the first victim for kMemory or kPids is certain, as Contenders::Read.
  void ReadContenders(Resource resource);
  // How old the figures may be.
  enum class Reading : std::uint8_t {
    kAsOfNow,
    kAtRest,  // as of Figures::ReadPodsAtRest, because no threshold acts
  };
  // Reads all figures of all pods; `disk`: what they have on disk, null where that is unknown.
  void ReadAll(const DiskUse* disk, Reading reading = Reading::kAsOfNow);
  // Reads what the plan asks for of the first victim, an index among the pods.
  void ReadVictim(const ReadingPlan& plan, std::size_t victim);

  // Joins the pods with their figures, after each reading anew.
  void Join() { JoinInOrder(pods_, summary_, joined_); }
  [[nodiscard]] std::span<const ActivePod> joined() const { return joined_; }

  // Whether some pods have been passed over by ReadContenders, and are to be read.
  [[nodiscard]] bool HavePassedOver() const { return contenders_.HavePassedOver(); }
  // Reads them.
  void ReadOthers() { contenders_.ReadOthers(pods_, summary_.pods); }
  // All of them are read elsewhere, or not needed.
  void ForgetOthers() { contenders_.ForgetOthers(); }

  // Between passes: as of Contenders. A pass over as many pods will allocate nothing for them.
  void Keep(const Pods& pods);

 private:
  void Read(const ReadStep& step);
  void FillSpare();

  Figures& figures_;
  Summary& summary_;
  Pods pods_;
  PodFiguresShelf shelf_;
  Contenders contenders_;
  std::vector<ActivePod> joined_;
  // Memory for the figures of a victim's containers and for their names.
  std::vector<ContainerStats> spare_;
};

}  // namespace jettison
