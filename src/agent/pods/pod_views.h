#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/pods/pod_slots.h"
#include "core/decide/container_gc.h"
#include "view/snapshot.h"

namespace jettison {

// A pod that was evicted and is not gone yet. It cannot be chosen again.
struct EndingPod {
  const PodFacts* facts = nullptr;
  Instant evicted_at;
  std::optional<Instant> kill_at;  // absent: it was killed, or has ended by itself
  friend bool operator==(const EndingPod&, const EndingPod&) = default;
};

// Read access to the pods: candidates for eviction, ending pods, statuses.
class PodViews {
 public:
  // `slots` must outlive this.
  explicit PodViews(const PodSlots& slots) : slots_(&slots) {}

  // The pods that an eviction could choose: they take up resources and ending them would bring
  // these back. By namespace and name.
  [[nodiscard]] std::vector<SharedPodFacts> Active() const;
  // Their facts are valid until the next change.
  [[nodiscard]] std::vector<EndingPod> Ending() const;
  // Whether the removal of a pod's remains has begun recently, or a pod that is to be removed was
  // killed, so that its space will soon be free.
  // A removal that takes longer than kRemovalTakes does not count, because it may never end.
  [[nodiscard]] bool AnyIsBeingRemoved(Instant now) const;
  // Whether a pod of this agent, not a foreign one, is on the node.
  [[nodiscard]] bool AnyOnNode() const;
  // How many foreign pods nothing evicts.
  [[nodiscard]] std::size_t CountProtectedForeign() const;
  // "namespace/name" of a pod on the node, or of a foreign one that is gone lately; else the UID.
  [[nodiscard]] std::string NameOfPod(std::string_view uid) const;
  // The images of wanted pods, running or not, that could not be fetched again because their pull
  // policy is Never. The names are those of the manifests.
  [[nodiscard]] std::vector<std::string> ImagesThatStay() const;
  // The standing of all pods, including wanted pods that are not on the node.
  [[nodiscard]] PodsForGc StandingForGc() const;
  // Every pod, without figures, by namespace and name.
  [[nodiscard]] std::vector<PodView> Views(Instant now) const;

 private:
  const PodSlots* slots_;
};

}  // namespace jettison
