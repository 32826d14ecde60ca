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

// How a line of the log is written.
enum class LogFormat : std::uint8_t {
  kText,     // logfmt: `key=value` pairs, whose values are quoted where they must be
  kJson,     // an object: time, level, msg, then the fields in order
  kJournal,  // the entries for systemd's journal, a NUL after each: MESSAGE as in a log of text but
             // without time and level, PRIORITY, and each field (JETTISON_GRACE_PERIOD)
};

// One `key=value` of a log line.
struct LogField {
  std::string_view key;
  std::string_view value;
};

// A line without newline.
[[nodiscard]] std::string FormatLine(LogFormat format, WallTime at, LogLevel level,
                                     std::string_view message, std::span<const LogField> fields);

// The agent's log: one line a decision. Used by one thread. A sink must not wait.
class Log {
 public:
  using Sink = std::function<void(std::string_view)>;
  // With `dry_run` every line says so.
  Log(LogFormat format, const Clock& clock, Sink sink, bool dry_run = false)
      : format_(format), clock_(clock), sink_(std::move(sink)), dry_run_(dry_run) {}

  // Lines below are not written.
  void SetLeast(LogLevel least) { least_ = least; }
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
  std::function<std::uint64_t()> lost_;
  LogLevel least_ = LogLevel::kInfo;
  bool dry_run_;
};

}  // namespace jettison
