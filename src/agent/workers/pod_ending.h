#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/workers/container_runs.h"
#include "ports/container_runtime.h"

namespace jettison {

// A pod of which something still runs although it was killed.
struct Survival {
  Instant since;  // the first kill
  int kills = 0;
};

// How long a kill may take before it is called late: half as long again as the grace period, at
// least 10 s. (kubelet: killPodNow)
[[nodiscard]] Duration KillTimeout(Duration grace);

// Ends a pod: its containers are asked to end, regular ones first, among them those without a
// preStop hook before the others, and then sidecars. They are killed when the grace period is over,
// repeatedly while anything still runs. Then the pod's remains are removed, unless the pod
// completed by itself. The caller tells it the time, and it gives commands to the runtime.
class PodEnding {
 public:
  enum class Step : std::uint8_t { kTerminating, kRemoving, kFinished };

  // The pod to end, and the runtime that does it.
  struct Target {
    const std::string& uid;
    ContainerRuns& runs;
    ContainerRuntime& runtime;
  };

  // `remove`: the pod's remains are removed, too; false for a pod that completed.
  PodEnding(Duration grace, bool remove, Instant now);

  // Does what is due by now; whether the kill has just become late.
  [[nodiscard]] bool Advance(const Target& pod, Instant now);
  // From now on the pod's remains are to be removed, too.
  void RemoveToo(const Target& pod, Instant now);
  // Ends the grace period now; false: none of it is left.
  bool GiveUpGrace(Instant now);
  // Extends the grace period by the time that the machine was suspended.
  void PutOff(Duration slept);

  [[nodiscard]] Step step() const { return step_; }
  [[nodiscard]] Duration grace() const { return grace_; }
  [[nodiscard]] Instant kill_at() const { return kill_at_; }
  [[nodiscard]] bool removes() const { return remove_; }
  // Whether the pod is in its grace period and has not been killed.
  [[nodiscard]] bool AwaitsKill() const { return step_ == Step::kTerminating && kills_.count == 0; }
  // Present if the pod was killed more than once and something of it still runs: a kill may fail,
  // and a process that sleeps uninterruptibly in the kernel does not end.
  [[nodiscard]] std::optional<Survival> SurvivalOf(const ContainerRuns& runs) const;
  // Since when it is on its way to give back all that it holds: what is left of it is being
  // removed, or it was killed, and that follows. Absent: it is not.
  [[nodiscard]] std::optional<Instant> removing_since() const;
  // When Advance has something to do without any event; absent: never.
  [[nodiscard]] std::optional<Instant> NextDeadline(const ContainerRuns& runs) const;

 private:
  struct Kills {
    int count = 0;
    Instant first;
    Instant again_at;        // where something lives on
    Duration next_pause{0};  // after that one
  };

  void StopNext(const Target& pod, Instant now) const;
  void KillAlive(const Target& pod, Instant now);
  void Remove(const Target& pod, Instant now);

  Step step_ = Step::kTerminating;
  Duration grace_;
  Instant kill_at_;     // the grace period is over
  Instant timeout_at_;  // the kill is late
  bool late_ = false;   // and that has been told
  bool remove_;
  Kills kills_;
  std::optional<Instant> removing_since_;
};

}  // namespace jettison
