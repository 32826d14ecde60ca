#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// The last known memory and process IDs of each pod, from any time. A search for the first victim
// begins with the largest.
class KnownFigures {
 public:
  // Sets the pods; the figures of pods that stay are kept. Returns whether the pods or their order
  // have changed; allocates nothing if not.
  bool Keep(std::span<const PodFacts* const> pods);
  // Takes in what was read of the pods of the last Keep, in their order; what is absent there stays
  // known.
  void Take(std::span<const PodStats> stats);

  [[nodiscard]] std::span<const PodFacts* const> pods() const { return pods_; }
  // The figures for kMemory in bytes, or for kPids in tasks, in the order of the pods; 0: not
  // known.
  [[nodiscard]] std::span<const std::uint64_t> Amounts(Resource resource) const {
    return resource == Resource::kPids ? tasks_ : memory_;
  }

 private:
  std::vector<const PodFacts*> pods_;
  std::vector<std::string> uids_;  // of each: a later pod may be at the address of a former one
  std::vector<std::uint64_t> memory_;
  std::vector<std::uint64_t> tasks_;
};

}  // namespace jettison
