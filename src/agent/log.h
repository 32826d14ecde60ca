#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "agent/agent.h"
#include "ports/clock.h"

namespace jettison {

enum class LogLevel : std::uint8_t { kInfo, kWarning, kError };
// "info", "warning", "error".
[[nodiscard]] std::string_view NameOf(LogLevel level);

// One `key=value` of a log line.
struct LogField {
  std::string_view key;
  std::string_view value;
};

// A line without newline. Text is logfmt (values are quoted where they must be), JSON one object:
// time, level, msg, then the fields in order.
[[nodiscard]] std::string FormatLine(LogFormat format, Instant at, LogLevel level,
                                     std::string_view message, std::span<const LogField> fields);

// The agent's log: one line a decision. Used by one thread.
class Log {
 public:
  using Sink = std::function<void(std::string_view)>;
  // With `dry_run` every line says so.
  Log(LogFormat format, const Clock& clock, Sink sink, bool dry_run = false)
      : format_(format), clock_(clock), sink_(std::move(sink)), dry_run_(dry_run) {}

  void Info(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    Write(LogLevel::kInfo, message, fields);
  }
  void Warn(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    Write(LogLevel::kWarning, message, fields);
  }
  void Error(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    Write(LogLevel::kError, message, fields);
  }

 private:
  void Write(LogLevel level, std::string_view message,
             std::initializer_list<LogField> fields) const;

  LogFormat format_;
  const Clock& clock_;
  Sink sink_;
  bool dry_run_;
};

// Writes each line to standard error.
[[nodiscard]] Log::Sink StandardErrorSink();

}  // namespace jettison
