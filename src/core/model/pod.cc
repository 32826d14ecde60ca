#include "core/model/pod.h"

#include <algorithm>

namespace jettison {

std::string_view NameOf(QosClass qos) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"Guaranteed", "Burstable", "BestEffort"});
  return kNames[static_cast<std::size_t>(qos)];
}

std::optional<QosClass> QosClassNamed(std::string_view name) {
  for (const QosClass qos : kQosClasses) {
    if (NameOf(qos) == name) return qos;
  }
  return std::nullopt;
}

PullPolicy DefaultPullPolicy(std::string_view image) {
  const bool has_digest = image.find('@') != std::string_view::npos;
  image = image.substr(0, image.find('@'));
  // A colon before the last slash belongs to the registry's port.
  const std::size_t colon = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  const bool has_tag =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  const bool latest = has_tag ? image.substr(colon + 1) == "latest" : !has_digest;
  return latest ? PullPolicy::kAlways : PullPolicy::kIfNotPresent;
}

std::string FullName(const Pod& pod) {
  return pod.namespace_ + "/" + pod.name;
}

std::int64_t GraceSecondsOf(const Pod& pod) {
  constexpr std::int64_t kDefault = 30;
  constexpr std::int64_t kMost = std::int64_t{100} * 365 * 24 * 3600;
  return std::min(pod.termination_grace_period_seconds.value_or(kDefault), kMost);
}

}  // namespace jettison
