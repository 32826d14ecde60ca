#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// What each pod was last known to hold of memory and process ids, whenever that was: a search for
// the first victim begins with those that hold much.
class KnownFigures {
 public:
  // These are the pods from now on; what is known of those that stay is kept. Where the pods are
  // the ones of before, in their order, that allocates nothing, and is false.
  bool Keep(std::span<const PodFacts* const> pods);
  // Takes in what was read of the pods of the last Keep, in their order; what is absent there stays
  // known.
  void Take(std::span<const PodStats> stats);

  // What is charged to one of them, by its place: it holds that much at most.
  void TakeCharge(std::size_t place, std::uint64_t bytes) {
    memory_[place] = std::max(memory_[place], bytes);
  }

  [[nodiscard]] std::span<const PodFacts* const> pods() const { return pods_; }
  // For kMemory and kPids, beside the pods: bytes, tasks; 0 of a pod that nothing is known of.
  [[nodiscard]] std::span<const std::uint64_t> Amounts(Resource resource) const {
    return resource == Resource::kPids ? tasks_ : memory_;
  }

 private:
  std::vector<const PodFacts*> pods_;
  std::vector<std::uint64_t> memory_;
  std::vector<std::uint64_t> tasks_;
};

}  // namespace jettison
