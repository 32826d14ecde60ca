#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "containers/running_container.h"
#include "kernel/readiness/lifetime.h"
#include "runtimes/cri/containers/container_start.h"
#include "runtimes/cri/containers/runtime_context.h"

namespace jettison::cri {

// One run of a container of this agent from its start, or its adoption, to its end. It tells what
// happens as events: ContainerStarted and later ContainerExited, or ContainerStartFailed alone.
class ContainerRun {
 public:
  // What the order refers to must outlive the run.
  ContainerRun(RuntimeContext& context, const StartOrder& order);
  ContainerRun(const ContainerRun&) = delete;
  ContainerRun& operator=(const ContainerRun&) = delete;
  // What runs goes on running.
  ~ContainerRun() = default;

  // Brings it up in this sandbox.
  void Start(const Sandbox& sandbox);
  // Reports that it cannot be started, for a reason outside the container.
  void RefuseStart(Error error) { EndStart({StartFailure::kCreate, std::move(error)}); }
  // Takes over a run that was found alive, without telling that it started.
  void Adopt(const StartedContainer& container);
  // The preStop hook, then the image's stop signal, TERM if it has none; a run that is still being
  // started is stopped once it runs. May be repeated, with less time.
  void Stop(Duration grace);
  // KILL for its whole group; the runtime is told afterwards. A run that is being started ends, for
  // those who wait for it, within a second.
  void Kill();
  // A listing of the runtime contains this run as ended, or does not contain it.
  void OnListedDead() { running_.OnListedDead(); }

  // Its process runs, as far as is known.
  [[nodiscard]] bool running() const { return running_.running(); }
  [[nodiscard]] bool ended() const { return phase_ == Phase::kFailed || running_.ended(); }
  // Whether it has ended and its start awaits no answer.
  [[nodiscard]] bool idle() const { return ended() && (start_ == nullptr || !start_->busy()); }
  [[nodiscard]] int attempt() const { return order_.attempt; }
  // The runtime's ID of it; empty before there is one, and where it could not be started.
  [[nodiscard]] const std::string& id() const;
  // The ID of a container that was made for a start that has failed, and that may be there still;
  // empty: there is none.
  [[nodiscard]] std::string left_by_failed_start() const;
  // What there is to find it by after a restart of the agent; absent while no process of it is
  // known.
  [[nodiscard]] std::optional<StartedContainer> Known() const { return running_.Known(); }
  // The same, and before that what its start was ordered with, once the runtime has made it.
  [[nodiscard]] std::optional<StartedContainer> KnownOrOrdered() const;
  // The name of its group below the pod's; empty: none, or not known.
  [[nodiscard]] const std::string& group() const { return running_.group(); }
  // The folder that takes what it writes; empty: not known.
  [[nodiscard]] const std::string& layer() const { return running_.layer(); }

 private:
  enum class Phase : std::uint8_t { kStarting, kStarted, kFailed };

  void OnStart(ContainerStart::Outcome started);
  void Begin(const StartedContainer& container);
  void EndStart(StartError why);
  void RunHook(Duration grace);
  void OnHookDone();
  void KillStart();

  RuntimeContext& context_;
  StartOrder order_;
  Phase phase_ = Phase::kStarting;
  std::unique_ptr<ContainerStart> start_;
  RunningContainer running_;
  bool hook_running_ = false;
  bool hook_done_ = false;
  Duration stop_grace_{};
  std::optional<Duration> stop_pending_;
  bool killed_ = false;                   // while it was being started
  kernel::Readiness::Watch on_patience_;  // for a start or a hook, one after the other
  Lifetime lifetime_;
};

}  // namespace jettison::cri
