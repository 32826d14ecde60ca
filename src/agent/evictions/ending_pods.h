#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "agent/edges/edges.h"
#include "agent/pods/pod_table.h"
#include "core/model/summary.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// Pods that were evicted and are not gone yet, beside what they held at the last reading.
class EndingPods {
 public:
  // Takes who they are and reads the memory of each as a whole. It belongs right after the reading
  // of the node's own figures, since what an ending pod gives back is in both of them.
  void Read(std::span<const EndingPod> pods, Figures& figures);
  // Reads the process ids and containers of the same pods, too.
  void ReadAll(Figures& figures);
  void Clear();

  [[nodiscard]] bool empty() const { return pods_.empty(); }
  [[nodiscard]] std::size_t size() const { return pods_.size(); }
  // One of them, by its place; without stats where its memory is not known.
  [[nodiscard]] ActivePod At(std::size_t place) const;
  // The same by its facts; without stats also where it is none of them.
  [[nodiscard]] ActivePod Of(const PodFacts* facts) const;
  // Working sets of all of them, in bytes.
  [[nodiscard]] std::int64_t WorkingSets() const;

 private:
  std::vector<const PodFacts*> pods_;
  std::vector<PodStats> stats_;  // in the same order
};

}  // namespace jettison
