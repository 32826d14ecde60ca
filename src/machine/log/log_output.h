#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/model/log_level.h"
#include "core/units/duration.h"
#include "machine/log/log.h"
#include "machine/loop/job_queue.h"
#include "ports/clock.h"

namespace jettison {

// Writes lines beside its callers, so that a reader that is slow, hangs or has gone blocks
// nobody. Lines wait in a queue of limited size in bytes. Lines that do not fit into it, or cannot
// be written, are counted; when a line can be written again, another line reports the count.
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
