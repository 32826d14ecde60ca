#include "core/shadow/kubelet_message.h"

#include <algorithm>
#include <array>

namespace jettison {
namespace {

// "The node was low on resource: memory. Threshold quantity: ..."
constexpr std::string_view kNodeLow = "The node was low on resource: ";

// The beginnings of its messages about a pod that it did not admit, with and without the phrase
// that kubelets prepend.
constexpr auto kRejections = std::to_array<std::string_view>(
    {"Pod was rejected", "Pod The node had condition", "The node had condition"});

constexpr std::string_view kLocalStorage = "Pod ephemeral local storage usage exceeds";
constexpr std::string_view kEmptyDir = "Usage of EmptyDir volume ";
constexpr std::string_view kContainerStorage = "exceeded its local ephemeral storage limit";

}  // namespace

KubeletCause KubeletCauseOf(std::string_view message) {
  if (message.starts_with(kNodeLow)) {
    const std::string_view rest = message.substr(kNodeLow.size());
    return {KubeletEvictionKind::kNodePressure, ResourceNamed(rest.substr(0, rest.find('.')))};
  }
  const auto begins = [message](std::string_view begin) { return message.starts_with(begin); };
  if (std::ranges::any_of(kRejections, begins)) return {KubeletEvictionKind::kRejected, {}};
  const bool is_limit = message.starts_with(kLocalStorage) || message.starts_with(kEmptyDir) ||
                        message.find(kContainerStorage) != std::string_view::npos;
  return {is_limit ? KubeletEvictionKind::kStorageLimit : KubeletEvictionKind::kUnknown, {}};
}

}  // namespace jettison
