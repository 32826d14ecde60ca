#include "json/json_writer.h"

#include <algorithm>

namespace jettison {
namespace {

// What cannot be taken over as it stands, or has to be looked at first.
bool IsSpecial(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte >= 0x80 || c == '"' || c == '\\';
}

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Bytes of the character beyond ASCII that `text` begins with; 0 where it is none (RFC 3629: no
// overlong form, no surrogate, nothing beyond U+10FFFF).
std::size_t CharacterSize(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t size = first >= 0xF0 ? 4 : (first >= 0xE0 ? 3 : 2);
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  if (!std::ranges::all_of(text.substr(1, size - 1), IsContinuation)) return 0;
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0) ||
      (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90)) {
    return 0;
  }
  return size;
}

void AppendEscaped(char c, std::string& out) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    case '\r': out += "\\r"; return;
    default: fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
  }
}

// Appends what `text` begins with; how many bytes that was.
std::size_t AppendSpecial(std::string_view text, std::string& out) {
  if (static_cast<unsigned char>(text.front()) < 0x80) {
    AppendEscaped(text.front(), out);
    return 1;
  }
  const std::size_t size = CharacterSize(text);
  if (size == 0) out += "\xEF\xBF\xBD";
  out += text.substr(0, size);
  return std::max<std::size_t>(size, 1);
}

}  // namespace

void JsonWriter::String(std::string_view text) {
  Separate();
  out_ += '"';
  while (!text.empty()) {
    const auto plain =
        static_cast<std::size_t>(std::find_if(text.begin(), text.end(), IsSpecial) - text.begin());
    out_ += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    text.remove_prefix(AppendSpecial(text, out_));
  }
  out_ += '"';
  comma_ = true;
}

}  // namespace jettison
