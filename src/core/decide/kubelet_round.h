#pragma once

#include <array>
#include <optional>

#include "core/model/signal.h"
#include "core/units/duration.h"

namespace jettison {

// Remembers the last evictions as far as it takes to say when the kubelet would decide again: it
// decides nothing, for whatever signal, until what it has evicted is gone.
class KubeletRound {
 public:
  // A pod was told to end for `resource`; `hard` within a hard eviction's grace period, which is
  // `grace`. A soft eviction that is awaited puts off no other one.
  void Evicted(Resource resource, bool hard, Duration grace, Instant now);
  // All pods that were awaited are gone, or have been waited for long enough.
  void CleanedUp(bool all_gone, Instant now);

  // When the kubelet would decide again; absent: no eviction was lately. While pods are ending it
  // is foreseen, and later each time, since the kubelet would poll on.
  [[nodiscard]] std::optional<Instant> Next(Instant now) const;
  // The same as far as it matters for a signal: absent also where the last evictions were for
  // another resource. But what their pods hold of a disk is not known, nor what they add to
  // pressure, so that an eviction for one of those comes after the end of all of them. Where what
  // they hold of memory or process ids is all that is missing, ask Next.
  [[nodiscard]] std::optional<Instant> NextFor(Signal signal, Instant now) const;

 private:
  std::optional<Instant> decides_;
  bool awaited_ = false;
  std::array<bool, kAllResources.size()> evicted_for_{};
};

}  // namespace jettison
