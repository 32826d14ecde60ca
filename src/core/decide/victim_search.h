#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/decide/ranking.h"
#include "core/model/pod.h"
#include "core/model/signal.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// The kinds of figures that a search asks for.
enum class SearchReading : std::uint8_t {
  kClass,   // what is charged to the group of all pods of a QoS class together
  kCharge,  // what is charged to one pod: an upper bound of its figure
  kFigure,  // the figure that the pod is ranked by
};
struct SearchStep {
  SearchReading reading = SearchReading::kCharge;
  std::size_t pod = 0;  // among the pods of the search; of kClass, the one whose class is meant
  friend bool operator==(const SearchStep&, const SearchStep&) = default;
};

// Finds the first victim under pressure on memory or process IDs by reading the figures of few
// pods: the same pod that FirstVictim finds by the figures of all pods. It is an exact branch and
// bound. The caller reads the figures: Next says what to read, and Answer takes the result.
//
// The bounds: the figure of a pod is never larger than the charge of the pod. The charge of a pod
// that has not been read is never larger than the charge of its QoS class less the charges of those
// pods of the class that have been read. Pods are visited in the order of their last known figures.
// A pod that could not come before the best candidate even at its bound is passed over without
// being read. The last known figures affect how many figures are read, never the result.
//
// For process IDs, the charge and the figure are the same file.
class VictimSearch {
 public:
  // `resource` is kMemory or kPids. `pods` must stay valid until the search is over. `known` has,
  // for each of them, the last known figure, or 0. A search in the steady state allocates nothing.
  void Begin(Resource resource, std::span<const PodFacts* const> pods,
             std::span<const std::uint64_t> known);
  // What is to be read next; none: the search is over.
  [[nodiscard]] std::optional<SearchStep> Next();
  // The result of that step, in bytes or tasks; absent: it could not be read. A pod without a
  // figure counts as holding nothing, as in RankOf.
  void Answer(std::optional<std::uint64_t> amount);

  // The pod to evict first, when the search is over; absent: no pod may be evicted.
  [[nodiscard]] std::optional<std::size_t> victim() const { return best_; }
  [[nodiscard]] bool IsRead(std::size_t pod) const { return looked_[pod].read; }
  // The most that a passed-over pod can hold; absent: its figure was read, or the pod may not be
  // evicted.
  [[nodiscard]] std::optional<std::uint64_t> BoundOf(std::size_t pod) const;

 private:
  struct Looked {
    std::optional<std::uint64_t> bound;
    bool read = false;
  };
  struct Candidate {
    RankKey key;  // by its last known figure
    std::size_t pod = 0;
  };
  // The charge of a QoS class, and how much of it belongs to pods that have been read.
  struct ClassCharge {
    bool asked = false;
    std::optional<std::uint64_t> all;  // absent: not known
    std::uint64_t seen = 0;            // of pods whose own charge was read
    [[nodiscard]] std::uint64_t Rest() const;
  };

  [[nodiscard]] RankKey KeyAt(std::size_t pod, std::uint64_t amount) const;
  [[nodiscard]] bool CouldWin(std::size_t pod) const;
  // The charge of the pod's class; null: the pod is not in the group of a class.
  [[nodiscard]] ClassCharge* ClassOf(std::size_t pod);
  [[nodiscard]] SearchStep Ask(SearchReading reading, std::size_t pod);
  void TakeCharge(std::size_t pod, std::optional<std::uint64_t> amount);
  void TakeFigure(std::size_t pod, std::uint64_t amount);
  [[nodiscard]] bool IsStillIn(std::size_t pod);
  void PassOver();
  void Drop();

  Resource resource_ = Resource::kMemory;
  std::span<const PodFacts* const> pods_;
  std::vector<Looked> looked_;         // beside the pods
  std::vector<Candidate> candidates_;  // a heap, the one that is thought to go first on top
  std::array<ClassCharge, kQosClassCount> classes_;
  SearchStep asked_;
  std::optional<std::size_t> best_;
  RankKey best_key_;
  bool swept_ = false;  // candidates that cannot win have been removed
};

}  // namespace jettison
