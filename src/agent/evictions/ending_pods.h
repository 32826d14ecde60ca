#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/pods/pod_table.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// Evicted pods that are not gone yet, with their figures of the last reading.
class EndingPods {
 public:
  // Takes the pods and reads the memory of each as a whole. Must be called right after the node's
  // own figures are read, so that both figures agree on what the ending pods have freed.
  void Read(std::span<const EndingPod> pods, Figures& figures);
  // Reads the process ids and containers of the same pods, too.
  void ReadAll(Figures& figures);
  void Clear();

  [[nodiscard]] bool empty() const { return pods_.empty(); }
  [[nodiscard]] std::size_t size() const { return pods_.size(); }
  // The pod at `place`; without stats if its memory is not known.
  [[nodiscard]] ActivePod At(std::size_t place) const;
  // The pod with these facts; without stats if its memory is not known, or if it is none of them.
  [[nodiscard]] ActivePod Of(const PodFacts* facts) const;
  // Working sets of all of them, in bytes.
  [[nodiscard]] std::int64_t WorkingSets() const;
  // What all of them hold of what the signal watches, as far as it is known.
  [[nodiscard]] std::int64_t Usage(Signal signal, DiskLayout layout) const;

 private:
  std::vector<const PodFacts*> pods_;
  std::vector<PodStats> stats_;  // in the same order
};

}  // namespace jettison
