#include "core/model/pressure.h"

#include <fmt/format.h>

namespace jettison {
namespace {

constexpr Duration kShort = std::chrono::seconds(10);
constexpr Duration kLong = std::chrono::seconds(60);

// IsPressure and PressureIndexOf depend on the order of declaration.
constexpr bool AgreesWithTheList() {
  std::size_t found = 0;
  for (const Signal signal : kAllSignals) {
    if (!IsPressure(signal)) continue;
    if (found >= kPressureSignalCount || kPressureSignals[found] != signal) return false;
    if (PressureIndexOf(signal) != found++) return false;
  }
  return found == kPressureSignalCount;
}
static_assert(AgreesWithTheList(),
              "IsPressure must be true of kPressureSignals and of no other signal");

}  // namespace

std::optional<PressureSignal> PressureSignalOf(Signal signal) {
  switch (signal) {
    case Signal::kMemoryPressureFullAvg10: return {{Resource::kMemory, StallKind::kFull, kShort}};
    case Signal::kMemoryPressureFullAvg60: return {{Resource::kMemory, StallKind::kFull, kLong}};
    case Signal::kMemoryPressureSomeAvg10: return {{Resource::kMemory, StallKind::kSome, kShort}};
    case Signal::kMemoryPressureSomeAvg60: return {{Resource::kMemory, StallKind::kSome, kLong}};
    case Signal::kIoPressureFullAvg10: return {{Resource::kIo, StallKind::kFull, kShort}};
    case Signal::kIoPressureFullAvg60: return {{Resource::kIo, StallKind::kFull, kLong}};
    case Signal::kIoPressureSomeAvg10: return {{Resource::kIo, StallKind::kSome, kShort}};
    case Signal::kIoPressureSomeAvg60: return {{Resource::kIo, StallKind::kSome, kLong}};
    case Signal::kMemoryAvailable:
    case Signal::kAllocatableMemoryAvailable:
    case Signal::kSwapAvailable:
    case Signal::kNodeFsAvailable:
    case Signal::kNodeFsInodesFree:
    case Signal::kImageFsAvailable:
    case Signal::kImageFsInodesFree:
    case Signal::kContainerFsAvailable:
    case Signal::kContainerFsInodesFree:
    case Signal::kPidAvailable: return std::nullopt;
  }
  __builtin_unreachable();
}

Quantity LeftOf(std::int32_t share) {
  return Quantity::Of(kWholeTime - share, QuantityFormat::kDecimalSI);
}

std::int64_t LostOf(const Quantity& left) {
  return kWholeTime - left.Value();
}

std::string ShareText(std::int64_t hundredths) {
  constexpr std::int64_t kPerPercent = 100;
  std::string text = fmt::format("{}.{:02}", hundredths / kPerPercent, hundredths % kPerPercent);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + '%';
}

}  // namespace jettison
