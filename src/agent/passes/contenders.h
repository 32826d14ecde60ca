#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "agent/edges/edges.h"
#include "agent/passes/known_figures.h"
#include "core/decide/victim_search.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// Reads of the pods what it takes to say who goes first (decide/victim_search), and the rest when
// that has been told to end. In the steady state it allocates nothing until then.
class Contenders {
 public:
  using Pods = std::vector<const PodFacts*>;

  explicit Contenders(Figures& figures) : figures_(figures) {}

  // These are the pods now. Where they are others than before, opens what the search will read of
  // their classes.
  void Keep(const Pods& pods);
  // Figures that somebody has read of all of them.
  void Take(const Pods& pods, const std::vector<PodStats>& stats);

  // Reads what is charged to some of the pods of the last Keep, to others each time, so that a
  // search begins with those that have grown.
  void ReadAhead();

  // Reads figures until it is certain who goes first for kMemory or kPids; those of other pods are
  // absent.
  void Read(Resource resource, const Pods& pods, std::vector<PodStats>& stats);
  // Whether that has passed anybody over.
  [[nodiscard]] bool HavePassedOver() const { return resource_.has_value(); }
  // Reads the figures of those; the same pods and stats. None is more than what was known of the
  // pod when it was passed over, so that whoever decides by all of them decides the same.
  void ReadOthers(const Pods& pods, std::vector<PodStats>& stats);
  // Whoever was passed over is read by somebody else.
  void ForgetOthers() { resource_.reset(); }

 private:
  [[nodiscard]] std::optional<std::uint64_t> Read(Resource resource, const SearchStep& step,
                                                  const PodFacts& pod, PodStats& stats);
  void ReadAllOf(const Pods& pods, std::vector<PodStats>& stats);

  Figures& figures_;
  KnownFigures known_;
  VictimSearch search_;
  std::size_t ahead_ = 0;             // the next to be read ahead
  std::optional<Resource> resource_;  // of the search that has passed somebody over
};

}  // namespace jettison
