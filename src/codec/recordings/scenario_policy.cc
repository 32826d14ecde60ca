#include "codec/recordings/scenario_policy.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/config/jettison_configuration.h"
#include "core/config/kubelet_fields.h"
#include "core/text/spelling.h"
#include "core/thresholds/containerfs_thresholds.h"
#include "core/thresholds/fields.h"
#include "core/thresholds/kubelet_order.h"
#include "core/thresholds/own_thresholds.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {
namespace {

std::vector<Threshold> ThresholdsOf(const Fields& config, DiskLayout layout) {
  const auto enforced =
      config.TextList("enforceNodeAllocatable").value_or(std::vector<std::string>{});
  ThresholdParsing parsing = ParseThresholds(
      {.hard = config.TextMap("evictionHard").value_or(SignalSettings{}),
       .soft = config.TextMap("evictionSoft").value_or(SignalSettings{}),
       .soft_grace_period = config.TextMap("evictionSoftGracePeriod").value_or(SignalSettings{}),
       .minimum_reclaim = config.TextMap("evictionMinimumReclaim").value_or(SignalSettings{}),
       .enforce_pods = std::find(enforced.begin(), enforced.end(), "pods") != enforced.end()});
  for (Fault& fault : parsing.faults) {
    config.Refuse(fault.key, std::move(fault.value), std::move(fault.message));
  }
  return ThresholdsFor(parsing.thresholds, layout);
}

// What a scenario has beside the fields of a JettisonConfiguration.
constexpr std::string_view kHardFirst = "hardThresholdsFirst";
constexpr std::string_view kBesideKubelet = "besideKubelet";
constexpr auto kOwnFields = std::to_array<std::string_view>({kBesideKubelet, kHardFirst});
constexpr auto kDiskFields =
    std::to_array<std::string_view>({"dedicatedContainerFs", "dedicatedImageFs"});

// Of the names, which are sorted, there are too many to list them all. Beside them there may be
// `also`.
void RefuseUnknown(const Fields& fields, std::span<const std::string_view> names,
                   std::span<const std::string_view> also = {}) {
  if (fields.map().AsMap() == nullptr) return;
  for (const auto& [key, value] : *fields.map().AsMap()) {
    if (std::ranges::find(also, key) != also.end()) continue;
    if (std::ranges::binary_search(names, std::string_view(key))) continue;
    fields.Refuse(key, Shown(value), "there is no such field" + DidYouMean(key, names));
  }
}

}  // namespace

Result<PassPolicy> ScenarioPolicy(const ScenarioSettings& settings) {
  constexpr auto kMostSeconds = std::numeric_limits<std::int64_t>::max();
  Faults faults;
  Faults warnings;
  const Fields layout(settings.disk, "", faults, "disk.");
  const Fields config(settings.kubelet_config, "", faults, "kubeletConfig.");
  const Fields own(settings.jettison_config, "", faults, "jettisonConfig.");
  RefuseUnknown(layout, kDiskFields);
  RefuseUnknown(config, KubeletFieldNames());
  RefuseUnknown(own, JettisonFieldNames(), kOwnFields);
  PassPolicy policy;
  policy.layout = {.dedicated_image_fs = layout.Flag("dedicatedImageFs").value_or(false),
                   .dedicated_container_fs = layout.Flag("dedicatedContainerFs").value_or(false)};
  policy.thresholds = ThresholdsOf(config, policy.layout);
  if (const auto kubelets = own.Inside(kBesideKubelet)) {
    policy.thresholds =
        BesideKubelet(std::move(policy.thresholds), ThresholdsOf(*kubelets, policy.layout));
  }
  const std::vector<Threshold> own_thresholds = ReadOwnThresholds(own, warnings);
  policy.thresholds.insert(policy.thresholds.end(), own_thresholds.begin(), own_thresholds.end());
  policy.pressure_transition_period =
      config.Span("evictionPressureTransitionPeriod", Duration::min())
          .value_or(policy.pressure_transition_period);
  policy.max_pod_grace_period_seconds =
      config.Integer("evictionMaxPodGracePeriod", -kMostSeconds, kMostSeconds).value_or(0);
  policy.local_storage_capacity_isolation =
      config.Flag("localStorageCapacityIsolation").value_or(true);
  policy.hard_first = own.Flag(kHardFirst).value_or(false);
  if (!faults.empty()) return Fail(ErrorCode::kInvalidArgument, DescribeAll(faults));
  return policy;
}

}  // namespace jettison
