#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/config/read_config.h"
#include "core/config/settings.h"
#include "core/text/parts.h"
#include "core/text/spelling.h"

namespace jettison {
namespace {

// Those that are neither settings (core/config/settings.h) nor unused (below): of thresholds, of
// the log, and what concerns only the kubelet itself.
constexpr std::string_view kOtherNames =
    "address apiVersion authentication authorization clusterDNS clusterDomain "
    "configMapAndSecretChangeDetectionStrategy containerLogMaxWorkers "
    "containerLogMonitorInterval contentType cpuManagerPolicyOptions "
    "cpuManagerReconcilePeriod draManagerReconcilePeriod enableContentionProfiling "
    "enableControllerAttachDetach enableDebugFlagsHandler enableDebuggingHandlers "
    "enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery "
    "eventBurst eventRecordQPS evictionHard evictionMinimumReclaim evictionSoft "
    "evictionSoftGracePeriod failCgroupV1 failSwapOn hairpinMode healthzBindAddress "
    "healthzPort httpCheckFrequency imagePullCredentialsVerificationPolicy iptablesDropBit "
    "iptablesMasqueradeBit kind kubeAPIBurst kubeAPIQPS logging makeIPTablesUtilChains "
    "maxOpenFiles maxParallelImagePulls memoryThrottlingFactor mergeDefaultEvictionSettings "
    "nodeLeaseDurationSeconds nodeStatusMaxImages nodeStatusReportFrequency "
    "nodeStatusUpdateFrequency podCIDR podHousekeepingPeriod port "
    "preloadedImagesVerificationAllowlist providerID readOnlyPort registerNode registryBurst "
    "registryPullQPS resolvConf rotateCertificates serializeImagePulls serverTLSBootstrap "
    "showHiddenMetricsForVersion staticPodURLHeader streamingConnectionIdleTimeout "
    "syncFrequency tlsCertFile tlsCipherSuites tlsCurvePreferences tlsMinVersion "
    "tlsPrivateKeyFile topologyManagerPolicyOptions topologyManagerScope tracing "
    "volumePluginDir volumeStatsAggPeriod";

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
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> names;
    for (std::string_view rest = kOtherNames; !rest.empty();) names.push_back(TakePart(rest, ' '));
    for (const Unused& unused : kUnused) names.push_back(unused.name);
    AddNamesOf(kKubeletSettings, names);
    std::ranges::sort(names);
    return names;
  }();
  return all;
}

void WarnOfUnusedFields(const Fields& fields, Faults& warnings) {
  const auto names = KubeletFieldNames();
  for (const auto& [key, value] : *fields.map().AsMap()) {
    if (!std::ranges::binary_search(names, key)) {
      AddFault(warnings, {fields.file(), key, Shown(value),
                          fmt::format("KubeletConfiguration has no such field{}; it is ignored",
                                      DidYouMean(key, names))});
      continue;
    }
    const auto unused = std::ranges::find(kUnused, key, &Unused::name);
    if (unused == kUnused.end() || AsksForNothing(value, unused->harmless)) continue;
    AddFault(warnings, {fields.file(), key, Shown(value),
                        fmt::format("is not used by jettison: {}", unused->instead)});
  }
}

}  // namespace jettison
