#include "core/config/kubernetes_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text/spelling.h"

namespace jettison {
namespace {

constexpr auto kKubernetesNames = std::to_array<std::string_view>(
    {"collectImages", "defaultMemoryThreshold", "evictDaemonSets", "jobs", "kubeconfig",
     "kubeletConfiguration", "kubeletDirectory", "softEvictionCoolDown", "softEvictionsPerHour"});
constexpr std::int64_t kMostPerHour = 3600;
constexpr Duration kLongestCoolDown = std::chrono::hours(1);

}  // namespace

std::string_view NameOf(SourceKind source) {
  switch (source) {
    case SourceKind::kManifests: return "manifests";
    case SourceKind::kKubernetes: return "kubernetes";
  }
  __builtin_unreachable();
}

std::string_view NameOf(JobEnding ending) {
  switch (ending) {
    case JobEnding::kKill: return "kill";
    case JobEnding::kTerminate: return "terminate";
  }
  __builtin_unreachable();
}

KubernetesConfig ReadKubernetesConfiguration(const Fields& kubernetes) {
  kubernetes.RefuseOthers(kKubernetesNames);
  KubernetesConfig config;
  config.kubeconfig = kubernetes.AbsolutePath("kubeconfig").value_or("");
  config.kubelet_configuration = kubernetes.AbsolutePath("kubeletConfiguration").value_or("");
  config.kubelet_directory =
      kubernetes.AbsolutePath("kubeletDirectory").value_or(config.kubelet_directory);
  config.collect_images = kubernetes.Flag("collectImages").value_or(false);
  config.default_memory_threshold =
      kubernetes.Flag("defaultMemoryThreshold").value_or(config.default_memory_threshold);
  config.evict_daemon_sets = kubernetes.Flag("evictDaemonSets").value_or(false);
  config.jobs =
      kubernetes
          .OneOf<JobEnding>("jobs", {{NameOf(JobEnding::kKill), JobEnding::kKill},
                                     {NameOf(JobEnding::kTerminate), JobEnding::kTerminate}})
          .value_or(config.jobs);
  config.soft_evictions_per_hour = kubernetes.Integer("softEvictionsPerHour", 1, kMostPerHour)
                                       .value_or(config.soft_evictions_per_hour);
  config.soft_eviction_cool_down =
      kubernetes.Span("softEvictionCoolDown", Duration::zero(), kLongestCoolDown)
          .value_or(config.soft_eviction_cool_down);
  return config;
}

}  // namespace jettison
