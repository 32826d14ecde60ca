#pragma once

#include <cri.pb.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "containers/container_exit.h"
#include "rpc/calls.h"

namespace jettison {

// Labels of sandboxes and containers as the kubelet writes them, so that crictl and others know
// them. Source: staging/src/k8s.io/kubelet/pkg/types/labels.go.
inline constexpr std::string_view kPodNameLabel = "io.kubernetes.pod.name";
inline constexpr std::string_view kPodNamespaceLabel = "io.kubernetes.pod.namespace";
inline constexpr std::string_view kPodUidLabel = "io.kubernetes.pod.uid";
inline constexpr std::string_view kContainerNameLabel = "io.kubernetes.container.name";

// Annotations of the kubelet. Source: pkg/kubelet/kuberuntime/labels.go, pkg/kubelet/types.
inline constexpr std::string_view kConfigSourceAnnotation = "kubernetes.io/config.source";
inline constexpr std::string_view kRestartCountAnnotation = "io.kubernetes.container.restartCount";
inline constexpr std::string_view kGracePeriodAnnotation =
    "io.kubernetes.pod.terminationGracePeriod";

// Our own, on sandboxes: the pod as it was created; the root of the agent that made it; which
// network it is in ("host" or "pod").
inline constexpr std::string_view kPodAnnotation = "jettison.io/pod";
inline constexpr std::string_view kRootAnnotation = "jettison.io/root";
inline constexpr std::string_view kNetworkAnnotation = "jettison.io/network";

}  // namespace jettison

namespace jettison::cri {

namespace api = ::runtime::v1;

// Everything that the runtime has, at one moment. What was made after it was asked for is missing
// or not ready in it.
struct Listing {
  std::vector<api::PodSandbox> sandboxes;
  std::vector<api::Container> containers;
};

// A container that CRI has, in a sandbox.
class CriContainer : public ContainerKeeper {
 public:
  // `calls` must outlive it.
  CriContainer(Calls& calls, std::string id) : calls_(calls), id_(std::move(id)) {}

  void AskHowItStands(Duration deadline, StandingAnswer answer) override;
  void TellToStop(Duration grace, Duration deadline, Done done) override;

 private:
  Calls& calls_;
  std::string id_;
};

// Whether an agent with this root made the sandbox.
[[nodiscard]] bool IsOfRoot(const std::string& root, const api::PodSandbox& sandbox);

// In seconds, rounded up; 0 where it is negative.
[[nodiscard]] std::int64_t WholeSeconds(Duration duration);

// The first process of a container, where the runtime tells it, in a verbose answer.
[[nodiscard]] std::optional<pid_t> PidOf(const api::ContainerStatusResponse& answer);

// How it stands by the runtime's account.
[[nodiscard]] ContainerStanding StandingOf(const api::ContainerStatus& status);

}  // namespace jettison::cri
