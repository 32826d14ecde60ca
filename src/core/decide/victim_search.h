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
  std::size_t pod = 0;                   // among the pods of the search
  QosClass qos = QosClass::kGuaranteed;  // of kClass
  friend bool operator==(const SearchStep&, const SearchStep&) = default;
};

// Finds the first victim under pressure on memory or process IDs by reading the figures of few
// pods: the same pod that FirstVictim finds by the figures of all pods. It is an exact branch and
// bound. The caller reads the figures: Next says what to read, and Answer takes the result.
//
// The bounds: the figure of a pod is never larger than the charge of the pod. The charge of a pod
// that has not been read is never larger than the charge of its QoS class less the charges of those
// pods of the class that have been read. The group of the guaranteed pods is that of all pods, so
// what the other two classes hold is taken off as well. Pods are visited in the order of their last
// known figures. A pod that could not come before the best candidate even at its bound is passed
// over without being read. The last known figures affect how many figures are read, never the
// result.
//
// Charges change while they are read. So the charge of a class is read both before its pods and
// after them, and the larger one counts: if the pods that were read only grow meanwhile, the later
// one is the bound, and if they only shrink, the earlier one.
//
// For process IDs, the charge and the figure are the same file.
//
// The victim of all pods tells of those that exceed their request as well: they come first.
class VictimSearch {
 public:
  // A search among as many pods will allocate nothing.
  void Reserve(std::size_t pods);
  // `resource` is kMemory or kPids. `pods` and `in_class` must stay valid until the search is over.
  // `known` has, for each of them, the last known figure, or 0; `in_class` whether its group is
  // below that of its QoS class. A search in the steady state allocates nothing.
  void Begin(Resource resource, std::span<const PodFacts* const> pods,
             std::span<const std::uint64_t> known, std::span<const std::uint8_t> in_class);
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
  // The charge of a QoS class, and how much of it does not belong to pods that have not been read.
  struct ClassCharge {
    bool asked = false;
    bool fresh = false;                // nothing in it has been read since
    std::optional<std::uint64_t> all;  // the largest that was read; absent: not known
    std::uint64_t seen = 0;            // of pods whose own charge was read
    // What the group of all pods holds of it: the last that was read since that group was read for
    // the first time.
    std::optional<std::uint64_t> part;
  };

  [[nodiscard]] RankKey KeyAt(std::size_t pod, std::uint64_t amount) const;
  [[nodiscard]] bool CouldWin(std::size_t pod) const;
  [[nodiscard]] ClassCharge& ClassOf(std::size_t pod);
  // What the pods of the class that have not been read can hold together.
  [[nodiscard]] std::uint64_t RestOf(QosClass qos) const;
  // The class to read next before pods of this pod's class can be passed over; none: they can.
  [[nodiscard]] std::optional<QosClass> StaleClass(std::size_t pod) const;
  [[nodiscard]] std::optional<SearchStep> StepFor(std::size_t pod);
  [[nodiscard]] SearchStep Ask(SearchReading reading, std::size_t pod);
  [[nodiscard]] SearchStep AskClass(QosClass qos);
  void TakeClass(QosClass qos, std::optional<std::uint64_t> amount);
  void TakeCharge(std::size_t pod, std::optional<std::uint64_t> amount);
  void TakeFigure(std::size_t pod, std::uint64_t amount);
  [[nodiscard]] bool IsOut(std::size_t pod);
  void PassOver();
  void Drop();

  Resource resource_ = Resource::kMemory;
  std::span<const PodFacts* const> pods_;
  std::span<const std::uint8_t> in_class_;  // beside the pods
  std::vector<Looked> looked_;              // beside the pods
  std::vector<Candidate> candidates_;       // a heap, the one that is thought to go first on top
  std::array<ClassCharge, kQosClassCount> classes_;
  SearchStep asked_;
  std::optional<std::size_t> best_;
  RankKey best_key_;
  bool swept_ = false;  // candidates that cannot win have been removed
};

}  // namespace jettison
