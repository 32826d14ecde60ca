// links: jettison_units
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/units/duration.h"

// What was read is written so that it reads back as the same instant.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto instant =
      jettison::ParseInstant(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!instant) return 0;
  const auto again = jettison::ParseInstant(jettison::FormatInstant(*instant));
  if (!again || *again != *instant) std::abort();
  return 0;
}
