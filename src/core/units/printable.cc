#include "core/units/printable.h"

#include <cstddef>

namespace jettison {

std::string Printable(std::string_view text) {
  std::string printable(text);
  for (std::size_t i = 0; i < printable.size(); ++i) {
    const auto byte = static_cast<unsigned char>(printable[i]);
    // U+0080 to U+009F are control characters, too; they begin with this byte.
    const bool is_c1 = byte == 0xC2U && i + 1 < printable.size() &&
                       static_cast<unsigned char>(printable[i + 1]) < 0xA0U;
    if (is_c1) printable.erase(i, 1);
    if (is_c1 || byte < 0x20U || byte == 0x7FU) printable[i] = ' ';
  }
  return printable;
}

}  // namespace jettison
