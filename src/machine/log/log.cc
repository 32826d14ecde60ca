#include "machine/log/log.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/json/json_writer.h"

namespace jettison {
namespace {

void AppendQuoted(std::string& line, std::string_view text) {
  JsonWriter(line).String(text);
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
