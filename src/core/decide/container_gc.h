#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/model/container_record.h"
#include "core/model/images.h"
#include "core/units/duration.h"

namespace jettison {

// Whether a pod still needs its dead containers and its sandbox.
enum class PodStanding : std::uint8_t {
  kLives,       // it runs or will: its newest dead container of each name and its sandbox are kept
  kTerminated,  // nothing of it runs or will run again, but it has not been deleted
};

// The known pods, and how unknown and terminated pods are treated.
struct PodsForGc {
  std::map<std::string, PodStanding, std::less<>> standing;  // by UID; absent: the pod is gone
  // Whether every source has reported its pods. Until then an unknown pod may still be reported, so
  // neither its containers nor its logs are removed.
  bool all_sources_ready = true;
  // Whether terminated pods count as gone: true under disk pressure, false for the periodic
  // collection.
  bool terminated_count_as_gone = false;
};

// One run of a container, to be removed.
struct ContainerRun {
  std::string pod_uid;
  std::string container;
  int attempt = 0;
  friend auto operator<=>(const ContainerRun&, const ContainerRun&) = default;
};

// The dead containers to remove, in this order:
// 1. all of pods that are gone, by pod UID and container name, the oldest first;
// 2. of each container of the others those beyond max_per_pod_container, likewise ordered;
// 3. where more than max_containers are left, those of each container beyond an equal share of at
//    least one, likewise ordered;
// 4. and where that was not enough, the oldest of all.
// Ages are compared by creation time, then attempt, then pod UID and name. Containers created less
// than min_age ago are kept and not counted.
// (kubelet 1.36: containerGC.evictContainers)
[[nodiscard]] std::vector<ContainerRun> ContainersToRemove(
    const ContainerGcPolicy& policy, std::span<const ContainerRecord> containers,
    const PodsForGc& pods, Instant now);

}  // namespace jettison
