#include "machine/log/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/text/printable.h"

namespace jettison {
namespace {

// Bytes that are no character become U+FFFD, because a line must be JSON whatever a file is called.
void AppendQuoted(std::string& line, std::string_view text) {
  line.push_back('"');
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t size = Utf8CharacterSize(text);
    if (size != 1) {
      line += size == 0 ? kReplacementCharacter : text.substr(0, size);
      text.remove_prefix(std::max<std::size_t>(size, 1));
      continue;
    }
    text.remove_prefix(1);
    switch (c) {
      case '"': line += "\\\""; break;
      case '\\': line += "\\\\"; break;
      case '\n': line += "\\n"; break;
      case '\t': line += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          fmt::format_to(std::back_inserter(line), "\\u{:04x}", static_cast<unsigned char>(c));
        } else {
          line.push_back(c);
        }
    }
  }
  line.push_back('"');
}

bool IsPlain(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '=' || c == '\\';
  });
}

void AppendText(std::string& line, LogField field) {
  if (!line.empty()) line.push_back(' ');
  line += field.key;
  line.push_back('=');
  if (IsPlain(field.value)) {
    line += field.value;
  } else {
    AppendQuoted(line, field.value);
  }
}

void AppendJson(std::string& line, LogField field) {
  line.push_back(line.empty() ? '{' : ',');
  AppendQuoted(line, field.key);
  line.push_back(':');
  AppendQuoted(line, field.value);
}

}  // namespace

std::string FormatMessage(std::string_view message, std::span<const LogField> fields) {
  std::string line(message);
  for (const LogField& field : fields) AppendText(line, field);
  return line;
}

std::string FormatLine(LogFormat format, WallTime at, LogLevel level, std::string_view message,
                       std::span<const LogField> fields) {
  const auto append = format == LogFormat::kText ? AppendText : AppendJson;
  // Milliseconds suffice for a log.
  const std::string time = FormatWallTime(std::chrono::floor<std::chrono::milliseconds>(at));
  std::string line;
  append(line, {"time", time});
  append(line, {"level", NameOf(level)});
  append(line, {"msg", message});
  for (const LogField& field : fields) append(line, field);
  if (format == LogFormat::kJson) line.push_back('}');
  return line;
}

void Log::Write(LogLevel level, std::string_view message,
                std::initializer_list<LogField> fields) const {
  if (level < least_) return;
  std::vector<LogField> all(fields);
  if (dry_run_) all.push_back({"dryRun", "true"});
  if (field_sink_) {
    field_sink_(level, message, all);
    return;
  }
  sink_(FormatLine(format_, clock_.Wall(), level, message, all));
}

}  // namespace jettison
