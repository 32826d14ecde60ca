#pragma once

#include <optional>
#include <vector>

#include "core/decide/eviction_pace.h"
#include "core/model/eviction_order.h"
#include "core/model/pod_origin.h"
#include "core/units/duration.h"

namespace jettison {

// The answer to a soft eviction.
struct SoftAnswered {
  EvictionOrder order;
  bool granted = false;  // the API server ends the pod
};

// Asks the API server before a pod is evicted for a soft threshold. Nothing here waits: the answer
// arrives in a later turn of the loop.
class SoftEvictions {
 public:
  virtual ~SoftEvictions() = default;
  // Why no soft eviction may be asked for now; absent: one may.
  [[nodiscard]] virtual std::optional<SoftHold> HoldAt(Instant now) const = 0;
  // The pods that are not to be chosen now, by UID.
  [[nodiscard]] virtual std::vector<SparedPod> SparedAt(Instant now) const = 0;
  virtual void Ask(const EvictionOrder& order, Instant now) = 0;
  // The next answer, in order; absent: none.
  [[nodiscard]] virtual std::optional<SoftAnswered> TakeAnswer() = 0;
};

}  // namespace jettison
