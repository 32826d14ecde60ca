#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/config/read_config.h"
#include "core/config/settings.h"
#include "core/text/parts.h"
#include "core/text/spelling.h"
#include "core/thresholds/kubelet_order.h"
#include "core/thresholds/threshold_settings.h"
#include "core/units/quantity.h"

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
    {"cgroupsPerQOS", "true", "pods always have groups by their class"},
    {"cpuManagerPolicy", "none", "CPUs are not pinned"},
    {"featureGates", "", "there are no feature gates; see docs/conformance.md for what holds"},
    {"imageServiceEndpoint", "", "images are asked for at containerRuntimeEndpoint"},
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

// Warns of fields that have no effect although their author may expect one: misspelt fields, and
// known fields that Jettison does not use and that differ from the kubelet's default. There is no
// warning of fields that concern only the kubelet itself (its server, its certificates, its traffic
// with an API server).
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

constexpr std::string_view kField = "enforceNodeAllocatable";
constexpr auto kEnforcements = std::to_array<std::string_view>(
    {"pods", "none", "system-reserved", "system-reserved-compressible", "kube-reserved",
     "kube-reserved-compressible"});

bool Has(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

void CheckNames(const Fields& fields, const std::vector<std::string>& named) {
  for (const std::string& name : named) {
    if (std::ranges::find(kEnforcements, name) != kEnforcements.end()) continue;
    fields.Refuse(
        kField, name,
        fmt::format("must be {}{}", Alternatives(kEnforcements), DidYouMean(name, kEnforcements)));
  }
  if (Has(named, "none") && named.size() > 1)
    fields.Refuse(kField, "none", "must be the only entry");
  if (std::ranges::count(named, "pods") > 1) fields.Refuse(kField, "pods", "is listed twice");
}

// A group, with or without the slash at its beginning. (kubelet: ParseCgroupfsToCgroupName)
std::optional<std::string> GroupIn(const Fields& fields, std::string_view key) {
  const auto text = fields.Text(key);
  if (!text || text->empty()) return std::nullopt;
  const std::string path = text->starts_with('/') ? *text : "/" + *text;
  if (const auto fault = FaultOfAbsolutePath(path); !fault.empty()) {
    fields.Refuse(key, *text, std::string(fault));
    return std::nullopt;
  }
  return PlainPath(path).substr(1);
}

// `what`: for example "kube-reserved"; `group_field`: the field with its group.
std::optional<EnforcedReservation> ReadOne(const Fields& fields,
                                           const std::vector<std::string>& named,
                                           std::string_view what, std::string_view group_field) {
  auto group = GroupIn(fields, group_field);
  const std::string compressible = fmt::format("{}-compressible", what);
  const bool all = Has(named, what);
  const bool some = Has(named, compressible);
  if (all && some) fields.Refuse(kField, compressible, fmt::format("excludes {}", what));
  if ((!all && !some) || fields.IsRefused(group_field)) return std::nullopt;
  if (!group || group->empty()) {
    fields.Refuse(kField, std::string(all ? what : compressible),
                  fmt::format("needs a group to enforce it on: set {}", group_field));
    return std::nullopt;
  }
  return EnforcedReservation{.group = *std::move(group), .compressible_only = !all};
}

// Reads enforceNodeAllocatable, kubeReservedCgroup and systemReservedCgroup. A group without its
// entry in the list is not touched; an entry without its group is a fault, as in the kubelet.
void ReadEnforcement(const Fields& fields, NodeReservation& reservation) {
  const auto listed = fields.TextList(kField);
  if (listed) {
    CheckNames(fields, *listed);
    reservation.enforce_pods = Has(*listed, "pods");
  }
  const std::vector<std::string> named = listed.value_or(std::vector<std::string>{"pods"});
  reservation.kube_enforced = ReadOne(fields, named, "kube-reserved", "kubeReservedCgroup");
  reservation.system_enforced = ReadOne(fields, named, "system-reserved", "systemReservedCgroup");
}

void WarnOfContainerFs(const Fields& fields, std::string_view key, const SignalSettings& settings,
                       Faults& warnings) {
  for (const auto& [signal, text] : settings) {
    if (!signal.starts_with("containerfs.")) continue;
    AddFault(warnings, {fields.file(), fmt::format("{}[{}]", key, signal), text,
                        "has no effect: containerfs follows the thresholds of nodefs, or of "
                        "imagefs where images have a file system of their own"});
  }
}

void WarnOfSoftBelowHard(const Fields& fields, const std::vector<Threshold>& thresholds,
                         Faults& warnings) {
  for (const Threshold& soft : thresholds) {
    if (soft.IsHard()) continue;
    for (const Threshold& hard : thresholds) {
      if (!hard.IsHard() || hard.signal != soft.signal ||
          !IsNotAbove(soft.value, hard.value, std::nullopt)) {
        continue;
      }
      AddFault(warnings,
               {fields.file(), fmt::format("evictionSoft[{}]", NameOf(soft.signal)),
                ThresholdText(soft.value),
                fmt::format("is never acted for: it is not above the hard threshold of this "
                            "signal ({}), which evicts at once",
                            ThresholdText(hard.value))});
    }
  }
}

void ReadThresholds(const Fields& fields, AgentConfig& config, Faults& warnings, Faults& faults) {
  EvictionSettings settings = ReadEvictionSettings(fields);
  Take(fields.TextMap("evictionMinimumReclaim"), settings.minimum_reclaim);
  settings.enforce_pods = config.reservation.enforce_pods;
  WarnOfContainerFs(fields, "evictionHard", settings.hard, warnings);
  WarnOfContainerFs(fields, "evictionSoft", settings.soft, warnings);
  ThresholdParsing parsing = ParseThresholds(settings);
  config.eviction.thresholds = std::move(parsing.thresholds);
  WarnOfSoftBelowHard(fields, config.eviction.thresholds, warnings);
  AddFaults(warnings, std::move(parsing.warnings), fields.file());
  AddFaults(faults, std::move(parsing.faults), fields.file());
}

void CheckImageGcShares(const Fields& fields, const ImageGcPolicy& policy) {
  constexpr std::string_view kHigh = "imageGCHighThresholdPercent";
  constexpr std::string_view kLow = "imageGCLowThresholdPercent";
  if (policy.low_threshold_percent < policy.high_threshold_percent) return;
  if (fields.IsRefused(kHigh) || fields.IsRefused(kLow)) return;
  fields.Refuse(
      kLow, std::to_string(policy.low_threshold_percent),
      fmt::format("must be less than {}, which is {}", kHigh, policy.high_threshold_percent));
}

void CheckImageGcAges(const Fields& fields, const ImageGcPolicy& policy) {
  constexpr std::string_view kLeast = "imageMinimumGCAge";
  constexpr std::string_view kMost = "imageMaximumGCAge";
  if (policy.max_age == Duration::zero() || policy.max_age > policy.min_age) return;
  if (fields.IsRefused(kLeast)) return;
  fields.Refuse(kMost, FormatDuration(policy.max_age),
                fmt::format("must be more than {}, which is {}, or 0s for no maximum", kLeast,
                            FormatDuration(policy.min_age)));
}

void ReadReserved(const Fields& fields, std::string_view key, ResourceList& into,
                  Faults& warnings) {
  constexpr auto kReservable =
      std::to_array<std::string_view>({"cpu", "memory", "ephemeral-storage", "pid"});
  const auto written = fields.TextMap(key);
  if (!written) return;
  for (const auto& [resource, text] : *written) {
    const std::string entry = fmt::format("{}[{}]", key, resource);
    const auto amount = Quantity::Parse(text);
    if (std::ranges::find(kReservable, resource) == kReservable.end()) {
      fields.Refuse(entry, text,
                    fmt::format("this resource cannot be reserved{}; allowed: {}",
                                DidYouMean(resource, kReservable), Alternatives(kReservable)));
    } else if (!amount || amount->Sign() < 0) {
      fields.Refuse(entry, text, "must be an amount such as 500m or 1Gi, zero or more");
    } else {
      into.insert_or_assign(resource, *amount);
      std::string why = resource == "cpu" ? "" : WhyThousandths(text);
      if (!why.empty()) AddFault(warnings, {fields.file(), entry, text, std::move(why)});
    }
  }
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

EvictionSettings ReadEvictionSettings(const Fields& fields) {
  EvictionSettings settings = SettingsIn(fields, KubeletSignalMaps());
  const bool merge = fields.Flag("mergeDefaultEvictionSettings").value_or(false);
  if (merge || fields.Find("evictionHard") == nullptr) {
    settings.hard.insert(DefaultEvictionHard().begin(), DefaultEvictionHard().end());
  }
  return settings;
}

void LogSize::Read(const Fields& fields, std::string_view name,
                   std::optional<std::int64_t>& into) const {
  const auto text = fields.Text(name);
  if (!text || text->empty()) return;
  const auto size = Quantity::Parse(*text);
  if (const std::string thousandths = WhyThousandths(*text); !thousandths.empty()) {
    fields.Refuse(name, *text, thousandths);
  } else if (!size || size->IsZero()) {
    fields.Refuse(name, *text,
                  "must be an amount such as 10Mi; a negative one switches rotation off");
  } else {
    into.reset();
    if (size->Sign() > 0) into = size->Value();
  }
}

void ApplyKubeletConfiguration(const Fields& fields, AgentConfig& config, Faults& warnings,
                               Faults& faults) {
  WarnOfUnusedFields(fields, warnings);
  ReadEnforcement(fields, config.reservation);
  ReadThresholds(fields, config, warnings, faults);
  ReadSettings(fields, kKubeletSettings, config);
  CheckImageGcShares(fields, config.image_gc);
  CheckImageGcAges(fields, config.image_gc);
  ReadReserved(fields, "kubeReserved", config.reservation.kube_reserved, warnings);
  ReadReserved(fields, "systemReserved", config.reservation.system_reserved, warnings);
  if (const auto logging = fields.Inside("logging")) {
    const auto format = logging->Word("format", EnumNames("text", "json", ""));
    if (format) config.json_logs = *format == 1;
  }
}

}  // namespace jettison
