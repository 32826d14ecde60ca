#include "json/json_writer.h"

#include <algorithm>

namespace jettison {
namespace {

bool NeedsEscape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
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

}  // namespace

void JsonWriter::String(std::string_view text) {
  Separate();
  out_ += '"';
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::find_if(text.begin(), text.end(), NeedsEscape) - text.begin());
    out_ += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    AppendEscaped(text.front(), out_);
    text.remove_prefix(1);
  }
  out_ += '"';
  comma_ = true;
}

}  // namespace jettison
