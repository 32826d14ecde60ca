#include "core/json/json_writer.h"

#include "core/text/printable.h"

namespace jettison {
namespace {

void AppendEscaped(char c, std::string& out) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    case '\r': out += "\\r"; return;
    default: break;
  }
  if (c >= 0 && c < ' ') {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
  } else {
    out += c;
  }
}

}  // namespace

void JsonWriter::String(std::string_view text) {
  Separate();
  out_ += '"';
  for (const char c : Utf8Of(text)) AppendEscaped(c, out_);
  out_ += '"';
  comma_ = true;
}

}  // namespace jettison
