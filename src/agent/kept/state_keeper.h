#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "agent/kept/kept_file.h"
#include "agent/kept/kept_state.h"
#include "agent/log/log.h"
#include "agent/loop/job_queue.h"
#include "agent/loop/mailbox.h"
#include "ports/clock.h"

namespace jettison {

// Keeps a KeptState over restarts of the agent, in a file that is written beside the loop.
// Failures are logged; the next agent then starts without a state.
class StateKeeper : public std::enable_shared_from_this<StateKeeper> {
 public:
  // `path` empty: nothing is kept. The log must outlive this, and the clock the process: the thread
  // that writes may be left behind.
  StateKeeper(std::string path, const Clock& clock, const Log& log)
      : clock_(clock), log_(log), file_(std::move(path)) {}

  // Reads the state of an earlier agent; empty if there is none. A file that cannot be read or
  // understood is moved aside, which is logged. Must be called once, before the first Save.
  [[nodiscard]] KeptState Load();
  // Whether Save is due: something has changed, or the saved state has a true condition or a
  // threshold that is met, whose last observation must be kept current, or the last text could not
  // be written. Several changes are saved together, but an eviction is saved at once: an agent that
  // did not know of it would count the usage of the ending pod as permanent.
  [[nodiscard]] bool Due(KeptChanges changes, Instant now) const;
  // Never waits.
  void Save(KeptState state, KeptChanges changes, Instant now);
  // Writes at once, the last one, and waits for it. If the disk hangs for longer than `patience`
  // and this is shared, the thread is left with it, which is logged.
  void Finish(const KeptState& state, Duration patience = kEndPatience);
  // When Due may be true next, given what has changed; absent: not before something does.
  [[nodiscard]] std::optional<Instant> NextDeadline(KeptChanges changes) const;

  // Readable when there are complaints.
  [[nodiscard]] int fd() const { return complaints_.fd(); }
  void LogComplaints();

 private:
  void Write(const KeptState& state);
  void Complain(const std::string& err);

  const Clock& clock_;
  const Log& log_;
  const KeptFile file_;
  bool loaded_ = false;
  KeptChanges saved_changes_;
  std::optional<Instant> saved_at_;
  bool empty_ = false;                   // what was saved last
  bool holds_ = false;                   // a condition in it, or a threshold is met
  bool complained_ = false;              // of the thread
  std::atomic<bool> unwritten_ = false;  // what was saved last is not in the file
  Mailbox<std::string> complaints_;
  // The last member: its jobs use the others.
  JobQueue writes_{Threads::kFiles};
};

}  // namespace jettison
