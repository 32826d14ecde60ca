#include "core/config/eviction_settings.h"

namespace jettison {
namespace {

SignalSettings HardSettings(const Fields& fields) {
  const bool merge = fields.Flag("mergeDefaultEvictionSettings").value_or(false);
  if (fields.Find("evictionHard") == nullptr) return DefaultEvictionHard();
  SignalSettings settings = fields.TextMap("evictionHard").value_or(SignalSettings{});
  if (merge) settings.insert(DefaultEvictionHard().begin(), DefaultEvictionHard().end());
  return settings;
}

}  // namespace

EvictionSettings ReadEvictionSettings(const Fields& fields) {
  EvictionSettings settings;
  settings.hard = HardSettings(fields);
  settings.soft = fields.TextMap("evictionSoft").value_or(SignalSettings{});
  settings.soft_grace_period = fields.TextMap("evictionSoftGracePeriod").value_or(SignalSettings{});
  return settings;
}

}  // namespace jettison
