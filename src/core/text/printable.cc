#include "core/text/printable.h"

#include <algorithm>
#include <cstddef>

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

// Bytes of the character that `text`, which is not empty, begins with; 0 where they are none.
std::size_t CharacterSize(std::string_view text) {
  const unsigned char first = ByteAt(text, 0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : (first >= 0xE0 ? 3 : 2);
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((ByteAt(text, i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned char second = ByteAt(text, 1);
  const bool is_none = (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                       (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  return is_none ? 0 : size;
}

}  // namespace

std::string Utf8Of(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = CharacterSize(text);
    valid += size == 0 ? "\uFFFD" : text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return valid;
}

std::string Printable(std::string_view text) {
  std::string printable;
  printable.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = std::max<std::size_t>(CharacterSize(text), 1);
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
