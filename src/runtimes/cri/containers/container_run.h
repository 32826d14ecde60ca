#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "containers/lifetime.h"
#include "runtimes/cri/base/surroundings.h"
#include "runtimes/cri/containers/container_start.h"
#include "containers/container_exit.h"

namespace jettison::cri {

// One run of a container from its start, or its adoption, to its end. It tells what happens as
// events: ContainerStarted and later ContainerExited, or ContainerStartFailed alone.
class ContainerRun {
 public:
  // What the order refers to must outlive the run.
  ContainerRun(Surroundings& surroundings, StartOrder order);
  ContainerRun(const ContainerRun&) = delete;
  ContainerRun& operator=(const ContainerRun&) = delete;
  // What runs goes on running.
  ~ContainerRun() = default;

  // Brings it up in this sandbox.
  void Start(const Sandbox& sandbox);
  // It cannot be started, for a reason that is not its own.
  void RefuseStart(Error error) { FailStart(std::move(error)); }
  // Takes over a run that was found alive, without telling that it started.
  void Adopt(const StartedContainer& container);
  // The preStop hook, then the image's stop signal, TERM if it has none; a run that is still being
  // started is stopped once it runs. May be repeated, with less time.
  void Stop(Duration grace);
  // KILL for its whole group; the runtime is told afterwards. A run that is being started ends, for
  // those who wait for it, within a second.
  void Kill();
  // The runtime was asked for all it has, and this run was among it as ended, or missing.
  void OnListedDead();

  // Its process runs, as far as is known.
  [[nodiscard]] bool running() const { return phase_ == Phase::kRunning; }
  [[nodiscard]] bool ended() const { return phase_ == Phase::kEnded; }
  // Nothing is on its way that would need it.
  [[nodiscard]] bool idle() const { return ended() && (start_ == nullptr || !start_->busy()); }
  [[nodiscard]] int attempt() const { return order_.attempt; }
  // The runtime's ID of it; empty before there is one, and where it could not be started.
  [[nodiscard]] const std::string& id() const;
  // What there is to find it by after a restart of the agent; absent while no process of it is
  // known.
  [[nodiscard]] std::optional<StartedContainer> Known() const;
  // The same, and before that what its start was ordered with, once the runtime has made it.
  [[nodiscard]] std::optional<StartedContainer> KnownOrOrdered() const;
  // The name of its group below the pod's, or below the node's where the order names none of the
  // pod; empty: none, or not known.
  [[nodiscard]] const std::string& group() const { return group_; }
  // The folder that takes what it writes; empty: not known.
  [[nodiscard]] const std::string& layer() const { return layer_; }

 private:
  enum class Phase : std::uint8_t {
    kStarting,
    kRunning,
    kExiting,  // its process has ended; the runtime is asked how
    kEnded,
  };

  void OnStart(Result<StartedContainer> started);
  void Watch(const StartedContainer& container);
  [[nodiscard]] bool HasEnded() const;
  void FailStart(Error error);
  void RunHook(Duration grace);
  void OnHookDone();
  void SendStopSignal();
  void KillGroups();
  void TellRuntimeToStop(Duration timeout);
  [[nodiscard]] std::uint64_t PodOomKills() const;
  void OnProcessEnded();
  void AskHowItEnded();
  void OnStanding(const Result<ContainerStanding>& answer);
  // How long the runtime has to say how it ended; then what the kernel tells has to do.
  void SetPatience(Duration patience);
  void Exit(const ContainerExit& exit);
  [[nodiscard]] std::string Path() const;
  [[nodiscard]] std::string Described() const;

  Surroundings& surroundings_;
  StartOrder order_;
  Phase phase_ = Phase::kStarting;
  std::unique_ptr<ContainerStart> start_;
  StartedContainer container_;
  std::string group_;
  std::string layer_;
  FileDescriptor process_;
  KernelWord seen_;
  std::uint64_t pod_oom_kills_ = 0;  // when it began
  int asked_ = 0;
  bool hook_running_ = false;
  bool hook_done_ = false;
  Duration stop_grace_{};
  std::optional<Duration> stop_pending_;
  bool killed_ = false;
  pod_host::Readiness::Watch on_end_;
  pod_host::Readiness::Watch on_patience_;  // for a start, a hook or an end, one after the other
  pod_host::Readiness::Watch on_ask_again_;
  Lifetime lifetime_;
};

}  // namespace jettison::cri
