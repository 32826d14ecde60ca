#include "cli/demo_figures.h"

#include <fmt/format.h>

#include <chrono>

namespace jettison {

std::string MiBText(std::optional<std::int64_t> bytes) {
  if (!bytes) return "-";
  const double mib = static_cast<double>(*bytes) / (1024.0 * 1024.0);
  return mib < 9.95 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.0f} MiB", mib);
}

std::string AmountText(Signal signal, std::optional<std::int64_t> amount) {
  switch (ResourceOf(signal)) {
    case Resource::kMemory:
    case Resource::kEphemeralStorage: return MiBText(amount);
    case Resource::kInodes:
    case Resource::kPids: return amount ? fmt::format("{}", *amount) : "-";
  }
  __builtin_unreachable();
}

std::string SecondsText(Duration span) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>(span).count());
}

}  // namespace jettison
