#pragma once

#include <atomic>
#include <optional>
#include <set>
#include <string>

#include "agent/pods/pod_table.h"
#include "core/units/duration.h"
#include "machine/log/log.h"
#include "machine/loop/steady_clock.h"
#include "ports/clock.h"
#include "ports/file_descriptor.h"

namespace jettison {

struct EndingDependencies {
  PodTable& pods;
  const Clock& clock;
  const Log& log;
  bool stop_pods = false;  // they are ended first
};

// How the agent ends when it is asked to: at once, or after its pods have ended. The node is
// watched meanwhile.
class Ending {
 public:
  explicit Ending(EndingDependencies dependencies);

  // From any thread and from signal handlers.
  void Ask();
  // Readable after Ask.
  [[nodiscard]] int fd() const { return asked_fd_.get(); }
  // Takes the request. `listed`: the runtime has listed its pods.
  void Take(bool listed);
  // Whether nothing is waited for any more.
  [[nodiscard]] bool IsOver() const;
  // Pods are being ended: nothing new is started.
  [[nodiscard]] bool stopping_pods() const { return stopping_pods_; }

 private:
  EndingDependencies dependencies_;
  FileDescriptor asked_fd_;
  std::atomic<bool> asked_ = false;
  bool quits_ = false;
  bool stopping_pods_ = false;
};

// Detects that the machine was suspended.
class SuspendWatch {
 public:
  // `log` must outlive this.
  explicit SuspendWatch(const Log& log) : log_(log) {}

  // For how long the machine was suspended since the last call, or 0. Reads two clocks, and
  // allocates nothing where it was not.
  [[nodiscard]] Duration Look();

 private:
  const Log& log_;
  Duration slept_ = SteadyClock::Slept();
};

// Sees to the threads beside the loop: tells of those that could not be started, tries them again,
// and gives up jobs that hang.
class ThreadCare {
 public:
  // `log` must outlive this.
  explicit ThreadCare(const Log& log) : log_(log) {}

  // After everything else of a turn: nothing that has to be done at once waits for it.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return next_; }

 private:
  const Log& log_;
  std::optional<Instant> next_;
  std::set<std::string> missing_;  // of which it has been told
};

}  // namespace jettison
