#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/model/signal.h"

namespace jettison {

// What a pod with reason Evicted is about.
enum class KubeletEvictionKind : std::uint8_t {
  kNodePressure,  // the node was low on a resource
  kStorageLimit,  // the pod broke a limit of its own local storage
  kRejected,      // it was never admitted: nothing of it has run, so nothing was evicted
  kUnknown,       // words that are not known
};

struct KubeletCause {
  KubeletEvictionKind kind = KubeletEvictionKind::kUnknown;
  std::optional<Resource> resource;  // that the node was low on, where it is known
};

// What the message of a pod's status says, where its phase is Failed and its reason Evicted.
// (kubelet 1.36: eviction/helpers.go nodeLowMessageFmt, eviction_manager.go, kubelet.go rejectPod)
[[nodiscard]] KubeletCause KubeletCauseOf(std::string_view message);

}  // namespace jettison
