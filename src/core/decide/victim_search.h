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

// What a search asks for.
enum class SearchReading : std::uint8_t {
  kClass,   // what is charged to the group of all pods of a QoS class together
  kCharge,  // what is charged to one pod: no less than its figure
  kFigure,  // what it is ranked by
};
struct SearchStep {
  SearchReading reading = SearchReading::kCharge;
  std::size_t pod = 0;  // among the pods of the search; of kClass, the one whose class is meant
  friend bool operator==(const SearchStep&, const SearchStep&) = default;
};

// The first victim under pressure on memory or process ids, by few figures: the very pod that
// FirstVictim finds among figures of all of them. An exact branch and bound, driven from outside:
// Next says what to read, Answer takes it.
//
// Nothing that a pod is ranked by is more than what is charged to it, and no pod of a class that
// has not been looked at is charged more than its class less those that have been. Pods are looked
// at in the order of what they were last known to hold; whoever could not go before the best one
// that was found, even if he held all that he can, is passed over without a reading. What each is
// known to hold changes how many figures are read, never who is found.
//
// Process ids are counted by one file, which is both charge and figure.
class VictimSearch {
 public:
  // For `resource`, which is kMemory or kPids. `pods` are looked at until the search is over;
  // `known`, beside them, is what each was last known to be ranked by, or 0. A search in the steady
  // state allocates nothing.
  void Begin(Resource resource, std::span<const PodFacts* const> pods,
             std::span<const std::uint64_t> known);
  // What is to be read next; none: the search is over.
  [[nodiscard]] std::optional<SearchStep> Next();
  // What was read for that step, in bytes or tasks. Absent: it is not there. A pod without a figure
  // counts as one that holds nothing, as in RankOf.
  void Answer(std::optional<std::uint64_t> amount);

  // Who goes first; none: nobody may go. Of a search that is over.
  [[nodiscard]] std::optional<std::size_t> victim() const { return best_; }
  [[nodiscard]] bool IsRead(std::size_t pod) const { return looked_[pod].read; }
  // What a pod held at most that was passed over, and so could not have gone first; absent: its
  // figure was read, or it could not go at all.
  [[nodiscard]] std::optional<std::uint64_t> BoundOf(std::size_t pod) const;

 private:
  struct Looked {
    std::optional<std::uint64_t> bound;
    bool read = false;
  };
  struct Candidate {
    RankKey key;  // by what it was last known to hold
    std::size_t pod = 0;
  };
  // What a class holds, as far as it has not been looked at pod by pod.
  struct ClassCharge {
    bool asked = false;
    std::optional<std::uint64_t> all;  // absent: not known
    std::uint64_t seen = 0;            // of pods whose own charge was read
    [[nodiscard]] std::uint64_t Rest() const;
  };

  [[nodiscard]] RankKey KeyAt(std::size_t pod, std::uint64_t amount) const;
  [[nodiscard]] bool CouldWin(std::size_t pod) const;
  // Its class; null: it lies in the group of none.
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
  bool swept_ = false;  // nobody is a candidate who could not go before that one
};

}  // namespace jettison
