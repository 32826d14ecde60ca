#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/pod.h"
#include "core/units/quantity.h"

namespace jettison {

// What pods share out among themselves by their requests.
inline constexpr std::array<std::string_view, 3> kSharedResources = {"cpu", "memory",
                                                                     "ephemeral-storage"};

// An amount of each of kSharedResources: cores and bytes, in billionths.
using SharedAmounts = std::array<Nanos, kSharedResources.size()>;

// What a pod asks for, as the kubelet counts it when it fits pods on a node: a pod-level request,
// or else its containers' sum, and the overhead.
// Source: component-helpers/resource, PodRequests (1.36).
[[nodiscard]] SharedAmounts RequestsOf(const Pod& pod);

// A pod that has a place on the node.
struct Occupant {
  SharedAmounts requests{};
  std::int32_t priority = 0;
  bool ending = false;  // its place comes free by itself
  bool stays = false;   // it cannot be told to leave: not there yet, or not ours to end
};

// What a pod asks for and does not find; with the words of the kubelet.
struct Shortage {
  std::size_t resource = 0;  // in kSharedResources
  Nanos requested = 0;
  Nanos used = 0;      // by those whom it cannot ask to leave
  Nanos capacity = 0;  // what there is to share out

  [[nodiscard]] std::string Reason() const;   // "OutOfmemory"
  [[nodiscard]] std::string Message() const;  // "Node didn't have enough resource: memory, ..."
};

// Where a pod can find its place.
struct Room {
  bool free = false;                  // there is enough of everything now
  std::vector<std::size_t> give_way;  // occupants to be ended, so that there will be
  std::size_t scarce = 0;             // where some give way: what for, in kSharedResources
  std::optional<Shortage> shortage;   // there is not, even when all give way who have to

  // Enough comes free when those that are ending, and those that give way, are gone.
  [[nodiscard]] bool Awaited() const { return !free && !shortage; }
};

// Whether a pod finds room among the occupants of a node that shares out `allocatable` (absent: as
// much as anyone asks for). Whoever has a lower priority gives way, as few as need be: the lowest
// priorities first and, among equals, those listed last. What a pod does not ask for it cannot be
// short of. (kubelet: GeneralPredicates; it has critical pods alone preempt others)
[[nodiscard]] Room FindRoom(const SharedAmounts& requests, std::int32_t priority,
                            std::span<const Occupant> occupants,
                            const std::optional<SharedAmounts>& allocatable);

}  // namespace jettison
