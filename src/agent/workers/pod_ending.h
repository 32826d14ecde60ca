#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/workers/container_runs.h"
#include "ports/container_runtime.h"

namespace jettison {

// What lives on of a pod although it was killed.
struct Survival {
  Instant since;  // the first kill
  int kills = 0;
};

// How long a kill may take before it is called late: half as long again as the grace period, at
// least 10 s. (kubelet: killPodNow)
[[nodiscard]] Duration KillTimeout(Duration grace);

// How a pod is ended: its containers are asked to, regular ones first and the side-cars after them,
// and killed when the grace period is over, again and again while anything lives; then what is left
// of it is removed, or stays where it completed by itself. It is told of the time and gives the
// runtime its orders.
class PodEnding {
 public:
  enum class Step : std::uint8_t { kTerminating, kRemoving, kFinished };

  // What it ends, and who carries it out.
  struct Target {
    const std::string& uid;
    ContainerRuns& runs;
    ContainerRuntime& runtime;
  };

  // `remove`: what is left goes too; not for a pod that completed.
  PodEnding(Duration grace, bool remove, Instant now);

  // Does what is due by now; whether the kill has just become late.
  [[nodiscard]] bool Advance(const Target& pod, Instant now);
  // What is left is not wanted either.
  void RemoveToo(const Target& pod, Instant now);
  // Gives up what is left of the grace period; false where nothing is.
  bool GiveUpGrace(Instant now);
  // The machine was suspended for so long: the grace period goes on now.
  void PutOff(Duration slept);
  // Kills what survives again, but no more often than once a second.
  void KillSurvivor(const Target& pod, Instant now);

  [[nodiscard]] Step step() const { return step_; }
  [[nodiscard]] Duration grace() const { return grace_; }
  [[nodiscard]] Instant kill_at() const { return kill_at_; }
  [[nodiscard]] bool removes() const { return remove_; }
  // It is in its grace period: nothing was killed, and something may live.
  [[nodiscard]] bool AwaitsKill() const { return step_ == Step::kTerminating && kills_.count == 0; }
  // Present where it was killed more than once and something of it lives: a kill may fail, and what
  // sleeps in the kernel does not end before that lets it go.
  [[nodiscard]] std::optional<Survival> SurvivalOf(const ContainerRuns& runs) const;
  // Since when what is left of it is being removed; absent: it is not.
  [[nodiscard]] std::optional<Instant> removing_since() const { return removing_since_; }
  // When Advance has something to do without any event; absent: never.
  [[nodiscard]] std::optional<Instant> NextDeadline(const ContainerRuns& runs) const;

 private:
  struct Kills {
    int count = 0;
    Instant first;
    Instant last;
    Instant again_at;        // where something lives on
    Duration next_pause{0};  // after that one
  };

  void StopNext(const Target& pod, Instant now) const;
  void Stop(const Target& pod, ContainerLifecycle& run, Instant now) const;
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
