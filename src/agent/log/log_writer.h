#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/loop/background_thread.h"
#include "core/units/duration.h"

namespace jettison {

// A line of the log on its way out: its text, or, for the journal, its entries.
using LogLine = std::vector<std::string>;

// Takes lines to whoever reads them, on a thread of its own: a reader that is slow, stands still or
// has gone holds up nobody. Lines wait in a queue of so many bytes. What finds no place there, and
// what cannot be written, is counted, and a line says how many as soon as one gets through again.
class LogWriter {
 public:
  // Writes a line, however long it takes; false: it is lost. Called on the thread, which is left
  // behind where it does not return: it must own what it uses.
  using Write = std::function<bool(const LogLine&)>;
  // The line that says how many were lost. The same holds for it.
  using Gap = std::function<LogLine(std::uint64_t lost)>;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  LogWriter(Write write, Gap gap, std::size_t most_bytes = kMostBytes);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  // Waits until every line is out, for a second at most.
  ~LogWriter();

  // Never waits.
  void Put(LogLine line);
  // Whether every line was out before so much time had passed.
  bool Flush(Duration patience);
  // How many were lost, ever.
  [[nodiscard]] std::uint64_t lost() const;
  // Whether there is a thread; lines wait for it.
  [[nodiscard]] bool running() const { return thread_.running(); }

 private:
  struct Queue;
  std::shared_ptr<Queue> queue_;  // shared with the thread
  BackgroundThread thread_;
};

}  // namespace jettison
