#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/pods/pod_slots.h"
#include "core/decide/container_gc.h"
#include "view/snapshot.h"

namespace jettison {

// A pod that was evicted and is about to be gone: it could not be chosen any more.
struct EndingPod {
  const PodFacts* facts = nullptr;
  Instant evicted_at;
  std::optional<Instant> kill_at;  // absent: it was killed, or has ended by itself
  friend bool operator==(const EndingPod&, const EndingPod&) = default;
};

// What others are given of the pods: candidates, what ends, statuses.
class PodViews {
 public:
  // `slots` must outlive this.
  explicit PodViews(const PodSlots& slots) : slots_(&slots) {}

  // The pods that an eviction could choose: they take up resources and ending them would bring
  // these back. By namespace and name; valid until the next change.
  [[nodiscard]] const std::vector<const PodFacts*>& Active() const;
  // The same pods, kept alive, by namespace and name: those of `pods` that are still there.
  [[nodiscard]] std::vector<std::shared_ptr<const PodFacts>> Keep(
      const std::vector<const PodFacts*>& pods) const;
  // Valid until the next change.
  [[nodiscard]] const std::vector<EndingPod>& Ending() const;
  // Whether what is left of a pod has begun to be removed lately, so that the space it took is
  // about to come back. One that takes longer than some seconds may never be gone.
  [[nodiscard]] bool AnyIsBeingRemoved(Instant now) const;
  // Pods of our own; foreign ones do not count.
  [[nodiscard]] bool AnyOnNode() const;
  // How many foreign pods nothing evicts.
  [[nodiscard]] std::size_t CountProtectedForeign() const;
  // "namespace/name" of a pod on the node, or of a foreign one that is gone lately; else the UID.
  [[nodiscard]] std::string NameOfPod(std::string_view uid) const;
  // Images of pods that are wanted, running or not, and could not be had again: those that are
  // never pulled. The names that the manifests give them.
  [[nodiscard]] std::vector<std::string> ImagesThatStay() const;
  // How all pods stand, those included that are wanted and not on the node.
  [[nodiscard]] PodsForGc StandingForGc() const;
  // Every pod, without figures, by namespace and name.
  [[nodiscard]] std::vector<PodView> Views(Instant now) const;

 private:
  const PodSlots* slots_;
  mutable std::vector<const PodFacts*> active_;
  mutable std::vector<EndingPod> ending_;
};

}  // namespace jettison
