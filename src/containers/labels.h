#pragma once

#include <string_view>

namespace jettison {

// Labels of sandboxes and containers as the kubelet writes them, so that crictl and others know
// them. Source: staging/src/k8s.io/kubelet/pkg/types/labels.go.
inline constexpr std::string_view kPodNameLabel = "io.kubernetes.pod.name";
inline constexpr std::string_view kPodNamespaceLabel = "io.kubernetes.pod.namespace";
inline constexpr std::string_view kPodUidLabel = "io.kubernetes.pod.uid";
inline constexpr std::string_view kContainerNameLabel = "io.kubernetes.container.name";

// Annotations of the kubelet. Source: pkg/kubelet/kuberuntime/labels.go, pkg/kubelet/types.
inline constexpr std::string_view kConfigSourceAnnotation = "kubernetes.io/config.source";
inline constexpr std::string_view kConfigSeenAnnotation = "kubernetes.io/config.seen";
inline constexpr std::string_view kHashAnnotation = "io.kubernetes.container.hash";
inline constexpr std::string_view kRestartCountAnnotation = "io.kubernetes.container.restartCount";
inline constexpr std::string_view kGracePeriodAnnotation =
    "io.kubernetes.pod.terminationGracePeriod";

// Our own, on sandboxes: the pod as it was created; the root of the agent that made it; which
// network it is in ("host" or "pod").
inline constexpr std::string_view kPodAnnotation = "jettison.io/pod";
inline constexpr std::string_view kRootAnnotation = "jettison.io/root";
inline constexpr std::string_view kNetworkAnnotation = "jettison.io/network";

}  // namespace jettison
