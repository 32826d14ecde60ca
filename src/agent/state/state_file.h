#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "agent/state/agent_state.h"
#include "machine/log/log.h"
#include "machine/loop/job_queue.h"
#include "ports/clock.h"
#include "ports/mailbox.h"

namespace jettison {

// Keeps an AgentState over restarts of the agent, in a file that is written beside the loop and
// replaced as a whole, on a disk that may be full meanwhile: the file never gets smaller than
// kReservedBytes, and a second file of its size lies beside it, into which the next text is
// written. Whenever the agent is killed, either the previous text or the new one is read. Failures
// are logged and survived; the next agent then starts with an older state, or without one.
class StateFile : public std::enable_shared_from_this<StateFile> {
 public:
  static constexpr std::size_t kReservedBytes = std::size_t{64} << 10;

  // The log must outlive this, and the clock the process: the thread that writes may be left
  // behind.
  StateFile(std::string path, const Clock& clock, const Log& log)
      : clock_(clock), log_(log), path_(std::move(path)) {}

  // Reads the state of an earlier agent; empty if there is none. A file that cannot be read or
  // understood is moved aside, which is logged. Must be called once, before the first Save.
  [[nodiscard]] AgentState Load();
  // Whether Save is due: something has changed, or the saved state has a true condition or a
  // threshold that is met, whose last observation must be kept current, or the last text could not
  // be written. Several changes are saved together, but an eviction is saved at once: an agent that
  // did not know of it would count the usage of the ending pod as permanent. Each hour it is due in
  // any case, because the uptime of the machine counts for what is kept over its boot.
  [[nodiscard]] bool Due(StateChanges changes, Instant now) const;
  // When Due may be true next, given what has changed; absent: not before something does.
  [[nodiscard]] std::optional<Instant> NextDeadline(StateChanges changes) const;
  // Never waits.
  void Save(AgentState state, StateChanges changes, Instant now);
  // Writes at once, the last one, and waits for it. If the disk hangs for longer than `patience`
  // and this is shared, the thread is left with it, which is logged.
  void Finish(const AgentState& state, Duration patience = kEndPatience);

  // Readable when the file could be written no longer, or can be again.
  [[nodiscard]] int fd() const { return news_.fd(); }
  void LogNews();
  // Why the file cannot be written; empty: it can, as far as is known.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void Write(const AgentState& state);

  const Clock& clock_;
  const Log& log_;
  const std::string path_;
  bool loaded_ = false;
  StateChanges saved_changes_;
  std::optional<Instant> saved_at_;
  Duration save_again_after_{0};  // though nothing has changed
  std::string problem_;
  std::atomic<bool> unwritten_ = false;  // what was saved last is not in the file
  Mailbox<std::string> news_;            // why it cannot be written; empty: it can
  // The last member: its jobs use the others.
  JobQueue writes_{Threads::kFiles};
};

}  // namespace jettison
