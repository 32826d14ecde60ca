#include "model/pod.h"

namespace jettison {

std::string_view NameOf(QosClass qos) {
  switch (qos) {
    case QosClass::kGuaranteed: return "Guaranteed";
    case QosClass::kBurstable: return "Burstable";
    case QosClass::kBestEffort: return "BestEffort";
  }
  __builtin_unreachable();
}

std::optional<QosClass> QosClassNamed(std::string_view name) {
  for (QosClass qos : {QosClass::kGuaranteed, QosClass::kBurstable, QosClass::kBestEffort}) {
    if (NameOf(qos) == name) return qos;
  }
  return std::nullopt;
}

std::string FullName(const Pod& pod) {
  return pod.namespace_ + "/" + pod.name;
}

std::int64_t GraceSecondsOf(const Pod& pod) {
  constexpr std::int64_t kDefault = 30;
  return pod.termination_grace_period_seconds.value_or(kDefault);
}

}  // namespace jettison
