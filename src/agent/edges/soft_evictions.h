#pragma once

#include <optional>
#include <vector>

#include "core/decide/eviction_pace.h"
#include "core/model/eviction_order.h"
#include "core/model/spared_pod.h"
#include "core/units/duration.h"

namespace jettison {

// What became of a question whether a pod may go for a soft threshold.
struct SoftAnswered {
  EvictionOrder order;
  bool granted = false;  // it is being ended by whoever was asked
};

// Who is asked before a pod goes for a soft threshold. Nothing here waits: the answer is there in a
// later turn.
class SoftEvictions {
 public:
  virtual ~SoftEvictions() = default;
  // Why nobody may be asked about now; absent: somebody may.
  [[nodiscard]] virtual std::optional<SoftHold> HoldAt(Instant now) const = 0;
  // Who is left out now, by UID.
  [[nodiscard]] virtual std::vector<SparedPod> SparedAt(Instant now) const = 0;
  virtual void Ask(const EvictionOrder& order, Instant now) = 0;
  // Each answer once, in their order.
  [[nodiscard]] virtual std::optional<SoftAnswered> TakeAnswer() = 0;
};

}  // namespace jettison
