#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/pods/pod_facts.h"
#include "core/units/duration.h"

namespace jettison {

// Who holds how much at a look.
struct PodAmount {
  const PodFacts* facts = nullptr;
  std::int64_t amount = 0;
};

// Says how fast each of some pods grows, from what it held up to some 50 ms ago.
class PodGrowthMeter {
 public:
  // `jitter`: by how much an amount may be wrong.
  explicit PodGrowthMeter(std::int64_t jitter) : jitter_(jitter) {}

  struct Growth {
    const PodFacts* facts = nullptr;
    std::int64_t per_second = 0;
  };
  // What these pods hold now; the one of them that grows fastest. Absent: none grows, or the looks
  // are not yet `apart`. The time is shortest where the pods come in the same order each time.
  std::optional<Growth> Seen(std::span<const PodAmount> pods, Duration apart, Instant now);

 private:
  struct Snapshot {
    std::vector<PodAmount> pods;
    Instant at;
  };
  [[nodiscard]] const Snapshot* Before(Duration apart, Instant now) const;
  void Keep(std::span<const PodAmount> pods, Instant now);

  std::int64_t jitter_;
  Snapshot older_;
  Snapshot newer_;
};

}  // namespace jettison
