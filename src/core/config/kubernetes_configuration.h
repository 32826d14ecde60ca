#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/thresholds/fields.h"
#include "core/units/duration.h"

namespace jettison {

// Where the pods of the node come from.
enum class SourceKind : std::uint8_t {
  kManifests,   // the agent's own, from `staticPodPath`
  kKubernetes,  // a kubelet's on this node: the agent runs none itself
};
// "manifests", "kubernetes".
[[nodiscard]] std::string_view NameOf(SourceKind source);

// How the pods of Jobs are ended. A program that exits with 0 on SIGTERM completes its Job, though
// its work is not done.
enum class JobEnding : std::uint8_t {
  kKill,       // SIGKILL at once
  kTerminate,  // like any other pod: SIGTERM, and SIGKILL after the grace period
};
// "kill", "terminate".
[[nodiscard]] std::string_view NameOf(JobEnding ending);

// How the agent works with a cluster and with the kubelet on its node: `kubernetes` of
// JettisonConfiguration. The paths are absolute.
struct KubernetesConfig {
  std::string kubeconfig;             // empty: the service account of the pod that it runs in
  std::string kubelet_configuration;  // the kubelet's file; empty: the kubelet is asked (configz)
  std::string kubelet_directory = "/var/lib/kubelet";  // where it keeps the volumes of pods
  // Whether the agent has a threshold on memory of its own where the kubelet has none.
  bool default_memory_threshold = true;
  bool evict_daemon_sets = false;  // whether their pods may be evicted
  JobEnding jobs = JobEnding::kKill;
  bool collect_images = false;  // whether the agent removes unused images, as the kubelet does
  std::int64_t soft_evictions_per_hour = 20;                   // at most, on this node
  Duration soft_eviction_cool_down = std::chrono::minutes(1);  // after one; zero: none
  friend bool operator==(const KubernetesConfig&, const KubernetesConfig&) = default;
};

// Reads the members of `kubernetes`.
[[nodiscard]] KubernetesConfig ReadKubernetesConfiguration(const Fields& kubernetes);

}  // namespace jettison
