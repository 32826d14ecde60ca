#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/pods/pod_facts.h"
#include "core/units/duration.h"

namespace jettison {

// The amount that a pod holds at a look.
struct PodAmount {
  PodAmount(const PodFacts& pod, std::int64_t held)
      : facts(&pod), identity(pod.identity), amount(held) {}

  const PodFacts* facts;  // may be gone after the look
  std::uint64_t identity;
  std::int64_t amount;
};

// Finds the pod that grows fastest, from the amounts of the last 50 ms or so.
class PodGrowthMeter {
 public:
  // `jitter`: by how much an amount may be wrong.
  explicit PodGrowthMeter(std::int64_t jitter) : jitter_(jitter) {}

  struct Growth {
    const PodFacts* facts = nullptr;
    std::int64_t per_second = 0;
  };
  // Takes the present amounts, and returns the pod that grows fastest. Absent: none grows, or the
  // looks are not yet `apart`. It is fastest if the pods have the same order in each call.
  std::optional<Growth> Seen(std::span<const PodAmount> pods, Duration apart, Instant now);
  // Whether the last call had earlier amounts to compare with.
  [[nodiscard]] bool compared() const { return compared_; }

 private:
  struct Snapshot {
    std::vector<PodAmount> pods;
    Instant at;
  };
  [[nodiscard]] const Snapshot* Before(Duration apart, Instant now) const;
  void Keep(std::span<const PodAmount> pods, Instant now);

  std::int64_t jitter_;
  bool compared_ = false;
  Snapshot older_;
  Snapshot newer_;
};

}  // namespace jettison
