#pragma once

#include <atomic>
#include <optional>

#include "agent/pods/pod_table.h"
#include "core/units/duration.h"
#include "machine/log/log.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "ports/file_descriptor.h"

namespace jettison {

struct EndingDependencies {
  ContainerRuntime& runtime;
  PodTable& pods;
  const Clock& clock;
  const Log& log;
  bool stop_pods = false;  // they are ended first
};

// How the agent ends when it is asked to: at once, after the runtime has completed what it is
// creating, or after the agent's pods have ended. The node is watched meanwhile.
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
  [[nodiscard]] bool IsOver(Instant now) const;
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return quit_at_; }
  // Pods are being ended: nothing new is started.
  [[nodiscard]] bool stopping_pods() const { return stopping_pods_; }

 private:
  void EndWhenNothingIsHalfMade();

  EndingDependencies dependencies_;
  FileDescriptor asked_fd_;
  std::atomic<bool> asked_ = false;
  std::optional<Instant> quit_at_;  // set: the end waits for the runtime till then
  bool quits_ = false;
  bool stopping_pods_ = false;
};

}  // namespace jettison
