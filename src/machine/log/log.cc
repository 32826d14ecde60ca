#include "machine/log/log.h"

#include <fmt/format.h>
#include <syslog.h>

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

int PriorityOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return LOG_DEBUG;
    case LogLevel::kInfo: return LOG_INFO;
    case LogLevel::kWarning: return LOG_WARNING;
    case LogLevel::kError: return LOG_ERR;
  }
  __builtin_unreachable();
}

// The name that the journal has for a field of the log.
std::string JournalNameOf(std::string_view key) {
  std::string name = "JETTISON_";
  for (const char c : key) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool lower = c >= 'a' && c <= 'z';
    const bool digit = c >= '0' && c <= '9';
    if (upper) name.push_back('_');
    if (lower) {
      name.push_back(static_cast<char>(c - 'a' + 'A'));
    } else {
      name.push_back(upper || digit ? c : '_');
    }
  }
  return name;
}

// A NUL ends an entry, so that none may be in it.
std::string WithoutNul(std::string_view value) {
  std::string text(value);
  std::ranges::replace(text, '\0', ' ');
  return text;
}

std::string JournalEntries(LogLevel level, std::string_view message,
                           std::span<const LogField> fields) {
  std::string text = WithoutNul(message);
  for (const LogField& field : fields) AppendText(text, field);
  std::string entries = fmt::format("MESSAGE={}{}PRIORITY={}{}SYSLOG_IDENTIFIER=jettison{}", text,
                                    '\0', PriorityOf(level), '\0', '\0');
  for (const LogField& field : fields) {
    entries += fmt::format("{}={}{}", JournalNameOf(field.key), WithoutNul(field.value), '\0');
  }
  return entries;
}

}  // namespace

std::string FormatLine(LogFormat format, WallTime at, LogLevel level, std::string_view message,
                       std::span<const LogField> fields) {
  if (format == LogFormat::kJournal) return JournalEntries(level, message, fields);
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
  sink_(FormatLine(format_, clock_.Wall(), level, message, all));
}

}  // namespace jettison
