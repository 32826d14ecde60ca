#pragma once

#include <sys/types.h>

#include <cstdint>

#include "runtimes/process/shim/order.h"

namespace jettison::shim {

// How a run ended.
struct Ending {
  bool failed = false;  // the program never ran
  int code = 0;         // 128 + n after signal n
  int signal = 0;
  std::int64_t started_ns = 0;
  std::int64_t finished_ns = 0;
  std::int64_t lost_log_bytes = 0;
};

// The state files of one run. The file of the exit record is made, with its blocks, before anything
// starts: on a disk that has filled up meanwhile the record only overwrites and renames.
class RunFiles {
 public:
  // Opens the run's folder and makes the draft of the exit record. False with errno set and what()
  // naming the file.
  [[nodiscard]] bool Open(const char* run_dir);
  // Writes `running`: who runs this, for an agent that starts later. From here on the program may
  // run.
  [[nodiscard]] bool WriteRunning(const Order& order, pid_t container, std::int64_t now_ns);
  // The last word.
  [[nodiscard]] bool WriteExit(const Ending& ending);
  [[nodiscard]] const char* what() const { return what_; }

 private:
  int dir_fd_ = -1;
  int draft_fd_ = -1;
  const char* what_ = "";
};

// When a process was started, in clock ticks since boot; 0 when it cannot be read. Together with
// the pid and the boot id it names the process for good.
[[nodiscard]] unsigned long long StartTimeOfSelf();

}  // namespace jettison::shim
