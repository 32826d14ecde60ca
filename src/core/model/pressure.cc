#include "core/model/pressure.h"

#include <fmt/format.h>

namespace jettison {

std::string ShareText(std::int64_t hundredths) {
  constexpr std::int64_t kPerPercent = 100;
  std::string text = fmt::format("{}.{:02}", hundredths / kPerPercent, hundredths % kPerPercent);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + '%';
}

}  // namespace jettison
