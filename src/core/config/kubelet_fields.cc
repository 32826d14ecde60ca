#include "core/config/kubelet_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text/spelling.h"

namespace jettison {
namespace {

constexpr auto kKubeletNames = std::to_array<std::string_view>({
    "address",
    "allowedUnsafeSysctls",
    "apiVersion",
    "authentication",
    "authorization",
    "cgroupDriver",
    "cgroupRoot",
    "cgroupsPerQOS",
    "clusterDNS",
    "clusterDomain",
    "configMapAndSecretChangeDetectionStrategy",
    "containerLogMaxFiles",
    "containerLogMaxSize",
    "containerLogMaxWorkers",
    "containerLogMonitorInterval",
    "containerRuntimeEndpoint",
    "contentType",
    "cpuCFSQuota",
    "cpuCFSQuotaPeriod",
    "cpuManagerPolicy",
    "cpuManagerPolicyOptions",
    "cpuManagerReconcilePeriod",
    "crashLoopBackOff",
    "draManagerReconcilePeriod",
    "enableContentionProfiling",
    "enableControllerAttachDetach",
    "enableDebugFlagsHandler",
    "enableDebuggingHandlers",
    "enableProfilingHandler",
    "enableServer",
    "enableSystemLogHandler",
    "enableSystemLogQuery",
    "enforceNodeAllocatable",
    "eventBurst",
    "eventRecordQPS",
    "evictionHard",
    "evictionMaxPodGracePeriod",
    "evictionMinimumReclaim",
    "evictionPressureTransitionPeriod",
    "evictionSoft",
    "evictionSoftGracePeriod",
    "failCgroupV1",
    "failSwapOn",
    "featureGates",
    "fileCheckFrequency",
    "hairpinMode",
    "healthzBindAddress",
    "healthzPort",
    "httpCheckFrequency",
    "imageGCHighThresholdPercent",
    "imageGCLowThresholdPercent",
    "imageMaximumGCAge",
    "imageMinimumGCAge",
    "imagePullCredentialsVerificationPolicy",
    "imageServiceEndpoint",
    "iptablesDropBit",
    "iptablesMasqueradeBit",
    "kernelMemcgNotification",
    "kind",
    "kubeAPIBurst",
    "kubeAPIQPS",
    "kubeReserved",
    "kubeReservedCgroup",
    "kubeletCgroups",
    "localStorageCapacityIsolation",
    "logging",
    "makeIPTablesUtilChains",
    "maxOpenFiles",
    "maxParallelImagePulls",
    "maxPods",
    "memoryManagerPolicy",
    "memoryReservationPolicy",
    "memorySwap",
    "memoryThrottlingFactor",
    "mergeDefaultEvictionSettings",
    "nodeLeaseDurationSeconds",
    "nodeStatusMaxImages",
    "nodeStatusReportFrequency",
    "nodeStatusUpdateFrequency",
    "oomScoreAdj",
    "podCIDR",
    "podHousekeepingPeriod",
    "podLogsDir",
    "podPidsLimit",
    "podsPerCore",
    "port",
    "preloadedImagesVerificationAllowlist",
    "protectKernelDefaults",
    "providerID",
    "qosReserved",
    "readOnlyPort",
    "registerNode",
    "registerWithTaints",
    "registryBurst",
    "registryPullQPS",
    "reservedMemory",
    "reservedSystemCPUs",
    "resolvConf",
    "rotateCertificates",
    "runOnce",
    "runtimeRequestTimeout",
    "seccompDefault",
    "serializeImagePulls",
    "serverTLSBootstrap",
    "showHiddenMetricsForVersion",
    "shutdownGracePeriod",
    "shutdownGracePeriodByPodPriority",
    "shutdownGracePeriodCriticalPods",
    "singleProcessOOMKill",
    "staticPodPath",
    "staticPodURL",
    "staticPodURLHeader",
    "streamingConnectionIdleTimeout",
    "syncFrequency",
    "systemCgroups",
    "systemReserved",
    "systemReservedCgroup",
    "tlsCertFile",
    "tlsCipherSuites",
    "tlsCurvePreferences",
    "tlsMinVersion",
    "tlsPrivateKeyFile",
    "topologyManagerPolicy",
    "topologyManagerPolicyOptions",
    "topologyManagerScope",
    "tracing",
    "userNamespaces",
    "volumePluginDir",
    "volumeStatsAggPeriod",
});

// A field without an effect here, although a user may expect one.
struct Unused {
  std::string_view name;
  std::string_view harmless;  // the value that requests nothing, beside "", false, {} and []
  std::string_view instead;   // what happens, or what to do
};

constexpr auto kUnused = std::to_array<Unused>({
    {"allowedUnsafeSysctls", "", "pods' sysctls are not set"},
    {"cpuManagerPolicy", "none", "CPUs are not pinned"},
    {"featureGates", "", "there are no feature gates; see docs/conformance.md for what holds"},
    {"kubeletCgroups", "", "the agent stays in the group that it is started in"},
    {"maxPods", "110", "the number of pods is not limited"},
    {"memoryManagerPolicy", "None", "memory is not pinned to NUMA nodes"},
    {"memoryReservationPolicy", "None", "memory of pods is not reserved in the kernel"},
    {"memorySwap", "", "swap of pods is not limited"},
    {"podsPerCore", "0", "the number of pods is not limited"},
    {"protectKernelDefaults", "", "kernel settings are neither checked nor changed"},
    {"qosReserved", "", "requests are not reserved for guaranteed pods"},
    {"registerWithTaints", "", "taints are shown, but there is no cluster to register with"},
    {"reservedMemory", "", "memory is not pinned to NUMA nodes"},
    {"reservedSystemCPUs", "", "reserve CPUs by kubeReserved or systemReserved"},
    {"runOnce", "", "the agent keeps running"},
    {"seccompDefault", "", "seccomp profiles are not applied"},
    {"shutdownGracePeriod", "0s", "pods are not ended when the machine shuts down"},
    {"shutdownGracePeriodByPodPriority", "", "pods are not ended when the machine shuts down"},
    {"shutdownGracePeriodCriticalPods", "0s", "pods are not ended when the machine shuts down"},
    {"singleProcessOOMKill", "true", "the kernel kills single processes"},
    {"staticPodURL", "", "put the manifests into staticPodPath"},
    {"systemCgroups", "", "no process is moved out of its group"},
    {"topologyManagerPolicy", "none", "NUMA topology is not considered"},
    {"userNamespaces", "", "pods share the host's user namespace"},
});

// Whether the value requests nothing: the harmless word, an empty value, or a map of such values.
bool AsksForNothing(const Value& value, std::string_view harmless) {
  if (value.IsNull()) return true;
  if (const bool* flag = value.AsBool()) return *flag == (harmless == "true");
  if (const auto* list = value.AsList()) return list->empty();
  if (const auto* map = value.AsMap()) {
    return std::ranges::all_of(
        *map, [&](const auto& member) { return AsksForNothing(member.second, harmless); });
  }
  if (const auto* text = value.AsString()) return text->empty() || *text == harmless;
  return value.AsNumber()->text == harmless;
}

}  // namespace

std::span<const std::string_view> KubeletFieldNames() {
  return kKubeletNames;
}

void WarnOfUnusedFields(const Fields& fields, Faults& warnings) {
  for (const auto& [key, value] : *fields.map().AsMap()) {
    if (!std::ranges::binary_search(kKubeletNames, key)) {
      AddFault(warnings, {fields.file(), key, Shown(value),
                          fmt::format("KubeletConfiguration has no such field{}; it is ignored",
                                      DidYouMean(key, kKubeletNames))});
      continue;
    }
    const auto unused = std::ranges::find(kUnused, key, &Unused::name);
    if (unused == kUnused.end() || AsksForNothing(value, unused->harmless)) continue;
    AddFault(warnings, {fields.file(), key, Shown(value),
                        fmt::format("is not used by jettison: {}", unused->instead)});
  }
}

}  // namespace jettison
