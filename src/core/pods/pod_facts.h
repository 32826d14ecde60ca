#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/choices.h"
#include "core/model/eviction.h"
#include "core/model/pod.h"
#include "core/model/summary.h"
#include "core/pods/admission.h"
#include "core/units/quantity.h"

namespace jettison {

// What a limit of local storage is of.
enum class StorageLimitKind : std::uint8_t { kEmptyDir, kPod, kContainer };
template <>
inline constexpr auto kNamesOf<StorageLimitKind> = EnumNames("emptyDir", "pod", "container");

// A limit of local storage of a pod.
struct StorageLimit {
  StorageLimitKind kind = StorageLimitKind::kPod;
  std::string name;  // of the volume or container; empty for the pod's own
  Quantity limit;    // bytes, as the kubelet's message shows them
};

// A pod with everything that the choice of a victim needs, computed once when the pod is added, so
// that a pass parses nothing.
struct PodFacts {
  std::int32_t priority = 0;
  PodOrigin source = PodOrigin::kOwn;
  Protection protection = Protection::kNone;
  QosClass qos = QosClass::kBestEffort;
  // Of the UID: the same in all facts that are ever computed of a pod. The address of facts is not,
  // and may become that of another pod's.
  std::uint64_t identity = 0;
  Nanos memory_request = 0;  // effective, bytes
  Nanos ephemeral_storage_request = 0;
  // Of emptyDir volumes, of the pod as a whole, of regular containers (none of zero); each in the
  // order of the specification.
  std::vector<StorageLimit> storage_limits;
  std::vector<std::string> local_volumes;  // names of volumes that count as local disk use
  SharedAmounts requests{};                // what it takes up of the node's allocatable
  Pod pod;

  [[nodiscard]] bool HasStorageLimits() const { return !storage_limits.empty(); }
  // It is never evicted.
  [[nodiscard]] bool IsProtected() const { return protection != Protection::kNone; }
  // ... but for now, and for soft thresholds alone.
  [[nodiscard]] bool IsSpared() const { return protection == Protection::kSpared; }
};

// A pod does not change; who needs it shares it.
using SharedPodFacts = std::shared_ptr<const PodFacts>;

// Computes the facts of a pod. (kubelet: pkg/kubelet/eviction/helpers.go, 1.36)
[[nodiscard]] PodFacts FactsOf(Pod pod, Profile profile);

// A running pod with its stats of this pass; `stats` null: nothing was measured.
struct ActivePod {
  const PodFacts* facts = nullptr;
  const PodStats* stats = nullptr;
};

// Finds each pod's stats by UID; the last stats of a UID count.
[[nodiscard]] std::vector<ActivePod> JoinStats(std::span<const PodFacts* const> pods,
                                               const Summary& summary);

// Names of VolumeStats that no volume can have. Under them are what the deleted files take that
// processes of a pod hold open, on the file system of the node and in writable layers. Without
// figures: it could not be read; not there: there are none, or they were not looked for because no
// disk is short. A kubelet never has them.
inline constexpr std::string_view kDeletedFiles = "(deleted files)";
inline constexpr std::string_view kDeletedInLayers = "(deleted files of writable layers)";

}  // namespace jettison
