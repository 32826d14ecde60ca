#include "core/text/printable.h"

#include <algorithm>
#include <cstddef>

#include "core/text/utf8.h"

namespace jettison {
namespace {

constexpr unsigned char ByteAt(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// C0, DEL, C1 (U+0080 to U+009F), and what turns the direction of the text around it (U+202A to
// U+202E, U+2066 to U+2069). `character` is one.
bool IsControl(std::string_view character) {
  const unsigned char first = ByteAt(character, 0);
  if (character.size() == 1) return first < 0x20U || first == 0x7FU;
  if (character.size() == 2) return first == 0xC2U && ByteAt(character, 1) < 0xA0U;
  if (character.size() != 3 || first != 0xE2U) return false;
  const unsigned char second = ByteAt(character, 1);
  const unsigned char third = ByteAt(character, 2);
  return (second == 0x80U && third >= 0xAAU && third <= 0xAEU) ||
         (second == 0x81U && third >= 0xA6U && third <= 0xA9U);
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string printable;
  printable.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = std::max<std::size_t>(Utf8CharacterSize(text), 1);
    const std::string_view character = text.substr(0, size);
    if (IsControl(character)) {
      printable += ' ';
    } else {
      printable += character;
    }
    text.remove_prefix(size);
  }
  return printable;
}

}  // namespace jettison
