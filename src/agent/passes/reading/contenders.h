#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "agent/edges/edges.h"
#include "agent/passes/reading/known_figures.h"
#include "core/decide/victim_search.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// Reads only the figures that are needed to find the first victim (decide/victim_search), and the
// other pods' figures after the victim has been told to end. In the steady state it allocates
// nothing before that.
class Contenders {
 public:
  using Pods = std::vector<const PodFacts*>;

  explicit Contenders(Figures& figures) : figures_(figures) {}

  // Takes the present pods. If they have changed, opens the files of their QoS classes that the
  // search will read.
  void Keep(const Pods& pods);
  // Takes figures of all pods that have been read elsewhere, as in each full pass. Reads the
  // charges of the QoS classes, so that their files stay open for the next search.
  void Take(const Pods& pods, const std::vector<PodStats>& stats);

  // Reads figures until the first victim for kMemory or kPids is certain. The figures of other pods
  // are absent.
  void Read(Resource resource, const Pods& pods, std::vector<PodStats>& stats);
  // Whether Read has been called without ReadOthers or ForgetOthers after it.
  [[nodiscard]] bool HavePassedOver() const { return resource_.has_value(); }
  // Reads the figures of the pods that were passed over; `pods` and `stats` must be those of Read.
  // No figure is larger than the bound by which its pod was passed over, so that a decision by all
  // figures is the same.
  void ReadOthers(const Pods& pods, std::vector<PodStats>& stats);
  // The pods that were passed over are read elsewhere.
  void ForgetOthers() { resource_.reset(); }

 private:
  [[nodiscard]] std::optional<std::uint64_t> Read(Resource resource, const SearchStep& step,
                                                  const PodFacts& pod, PodStats& stats);
  void ReadClasses();
  void FindClasses();
  void FindClassesOfOthers();
  void ReadAllOf(const Pods& pods, std::vector<PodStats>& stats);

  Figures& figures_;
  KnownFigures known_;
  std::vector<std::uint8_t> in_class_;  // beside the known pods
  VictimSearch search_;
  std::optional<Resource> resource_;  // of the last Read
};

}  // namespace jettison
