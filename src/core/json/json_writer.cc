#include "core/json/json_writer.h"

#include <algorithm>

#include "core/text/printable.h"

namespace jettison {
namespace {

// Whether a byte has to be escaped, or to be checked first.
bool IsSpecial(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte >= 0x80 || c == '"' || c == '\\';
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

// Appends the special character at the beginning of `text`; returns its length in bytes.
std::size_t AppendSpecial(std::string_view text, std::string& out) {
  if (static_cast<unsigned char>(text.front()) < 0x80) {
    AppendEscaped(text.front(), out);
    return 1;
  }
  const std::size_t size = Utf8CharacterSize(text);
  if (size == 0) out += kReplacementCharacter;
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
