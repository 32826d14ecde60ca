#include "core/model/pressure.h"

#include <fmt/format.h>

namespace jettison {

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
