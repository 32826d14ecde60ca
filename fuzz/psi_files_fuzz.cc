// links: jettison_psi
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kernel/psi/pressure.h"

namespace {

void CheckShare(std::int32_t share) {
  if (share < 0 || share > 10'000) std::abort();
}

void CheckLine(const jettison::psi::StallLine& line) {
  CheckShare(line.avg10);
  CheckShare(line.avg60);
  CheckShare(line.avg300);
}

}  // namespace

// Whatever the text, a share that comes out is one of the whole.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto pressure = jettison::psi::ParsePressure(text);
  if (!pressure) return 0;
  CheckLine(pressure->some);
  if (pressure->full) CheckLine(*pressure->full);
  return 0;
}
