#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/choices.h"
#include "core/units/duration.h"
#include "machine/loop/job_queue.h"
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

// Writes lines beside its callers, so that a reader that hangs blocks nobody. Lines that do not fit
// into a queue of limited size, or cannot be written, are counted; when a line can be written
// again, another line reports the count.
class LogWriter {
 public:
  // Writes a line and may block; false: the line is lost. Called on the thread, which is left
  // behind if the call does not return, so the function must own what it uses.
  using Write = std::function<bool(const std::string&)>;
  // The line that says how many were lost. The same holds for it.
  using Gap = std::function<std::string(std::uint64_t lost)>;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  LogWriter(Write write, Gap gap, std::size_t most_bytes = kMostBytes);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  // Waits until every line is out, for a second at most.
  ~LogWriter();

  // Never waits.
  void Put(std::string line);
  // Whether every line was out before so much time had passed.
  bool Flush(Duration patience);
  // How many were lost, ever.
  [[nodiscard]] std::uint64_t lost() const;
  // Whether there is a thread; lines wait for it.
  [[nodiscard]] bool running() const { return jobs_.running(); }

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  // with the jobs, one for each line
  JobQueue jobs_{Threads::kLog, AtEnd::kLeave};
};

struct LogOutput {
  LogFormat format = LogFormat::kText;
  LogLevel least = LogLevel::kInfo;  // lines below it are left out
  bool dry_run = false;
  Log::Sink sink;  // takes each line; empty: standard error or the journal
};

// The agent's log. To standard error and the journal a thread takes the lines. `clock` must outlive
// the process' threads.
[[nodiscard]] std::unique_ptr<Log> OpenLog(const LogOutput& output, const Clock& clock);

}  // namespace jettison
