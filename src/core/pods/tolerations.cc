#include "core/pods/tolerations.h"

#include <algorithm>

namespace jettison {

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  return toleration.op == "Exists";
}

bool ToleratesMemoryPressure(const Pod& pod) {
  return std::any_of(
      pod.tolerations.begin(), pod.tolerations.end(),
      [](const Toleration& toleration) { return Tolerates(toleration, kMemoryPressureTaint); });
}

}  // namespace jettison
