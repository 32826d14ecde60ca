#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/log_level.h"
#include "ports/clock.h"

namespace jettison {

// How a line of the log is written: `key=value` pairs, or a JSON object.
enum class LogFormat : std::uint8_t { kText, kJson };

// One `key=value` of a log line.
struct LogField {
  std::string_view key;
  std::string_view value;
};

// What a line says without time and level: the message, then the fields as logfmt.
[[nodiscard]] std::string FormatMessage(std::string_view message, std::span<const LogField> fields);

// A line without newline. Text is logfmt (values are quoted where they must be), JSON one object:
// time, level, msg, then the fields in order.
[[nodiscard]] std::string FormatLine(LogFormat format, WallTime at, LogLevel level,
                                     std::string_view message, std::span<const LogField> fields);

// The agent's log: one line a decision. Used by one thread. A sink must not wait.
class Log {
 public:
  using Sink = std::function<void(std::string_view)>;
  using FieldSink =
      std::function<void(LogLevel, std::string_view message, std::span<const LogField>)>;
  // With `dry_run` every line says so.
  Log(LogFormat format, const Clock& clock, Sink sink, bool dry_run = false)
      : format_(format), clock_(clock), sink_(std::move(sink)), dry_run_(dry_run) {}

  // Lines below are not written.
  void SetLeast(LogLevel least) { least_ = least; }
  // From now on, lines are passed to this sink as fields, and no longer to the text sink.
  void SendFieldsTo(FieldSink sink) { field_sink_ = std::move(sink); }
  // Sets the function that returns how many lines were lost.
  void CountLostWith(std::function<std::uint64_t()> count) { lost_ = std::move(count); }
  [[nodiscard]] std::uint64_t lost() const { return lost_ ? lost_() : 0; }

  void Debug(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    Write(LogLevel::kDebug, message, fields);
  }
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
  FieldSink field_sink_;
  std::function<std::uint64_t()> lost_;
  LogLevel least_ = LogLevel::kInfo;
  bool dry_run_;
};

}  // namespace jettison
