#include "cli/demo_figures.h"

#include <fmt/format.h>

#include <chrono>

#include "model/pressure.h"

namespace jettison {

std::string BytesText(std::optional<std::int64_t> bytes) {
  if (!bytes) return "-";
  const double kib = static_cast<double>(*bytes) / 1024.0;
  if (kib < 1023.5) return fmt::format("{:.0f} KiB", kib);
  const double mib = kib / 1024.0;
  return mib < 9.95 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.0f} MiB", mib);
}

std::string AmountText(Signal signal, std::optional<std::int64_t> amount) {
  if (IsPressure(signal)) return amount ? ShareText(*amount) : "-";
  switch (ResourceOf(signal)) {
    case Resource::kMemory:
    case Resource::kEphemeralStorage: return BytesText(amount);
    case Resource::kInodes:
    case Resource::kPids:
    case Resource::kIo: return amount ? fmt::format("{}", *amount) : "-";
  }
  __builtin_unreachable();
}

std::string SecondsText(Duration span) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>(span).count());
}

}  // namespace jettison
