#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "containers/container_exit.h"
#include "core/model/pod.h"
#include "kernel/readiness/lifetime.h"
#include "kernel/readiness/readiness.h"
#include "pods/run_dependencies.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Identifies one run of a container. What it refers to must outlive its user.
struct RunIdentity {
  const Pod& pod;
  const Container& container;
  const std::string& pod_group;  // empty: the run's group is named from the node's own
  int attempt = 0;
};

// A container that runs, or has run already.
struct StartedContainer {
  std::string id;
  bool ended = false;        // as far as its keeper knows
  std::optional<pid_t> pid;  // absent where nobody tells
  std::optional<int> stop_signal;
  Instant started;
  std::string group;  // below the pod's, where it has been looked up already
};

// One run of a container, from its start to its end, whatever keeps the container. Signals, kills
// and the news of the end go through the kernel, whose group of the container says what runs of it.
// A container of the agent's own ends with its first process. A foreign one goes on while its group
// holds another, unless its keeper says that it has ended. How the container ended is reported by
// its keeper, or by the kernel where the keeper does not answer in time. Then ContainerExited is
// emitted.
class RunningContainer {
 public:
  // `dependencies` must outlive this.
  RunningContainer(RunDependencies& dependencies, RunIdentity identity);
  RunningContainer(const RunningContainer&) = delete;
  RunningContainer& operator=(const RunningContainer&) = delete;
  // The container goes on running.
  ~RunningContainer() = default;

  // The container is about to start: an OOM kill in the pod from now on may concern it.
  void Expect();
  // The container runs, and `keeper` keeps it; null: its keeper says nothing of it.
  void Begin(const StartedContainer& container, std::shared_ptr<ContainerKeeper> keeper);
  // Called once, after Begin has been reported. Returns whether the container has ended already;
  // its keeper is then asked how.
  bool LookForEnd();
  // Sends the image's stop signal, or TERM if it has none. Where no process is known, the keeper is
  // told to stop the container within `grace`. Does nothing unless the container runs.
  void Stop(Duration grace);
  // Sends KILL to its whole group and then tells its keeper.
  void Kill();
  // Before Begin: sends KILL to the group that is named after this ID. The run counts as killed.
  void KillByName(const std::string& id);
  // A listing of the keeper contains this run as ended, or does not contain it.
  void OnListedDead();

  // Its process runs, as far as is known.
  [[nodiscard]] bool running() const { return phase_ == Phase::kRunning; }
  [[nodiscard]] bool ended() const { return phase_ == Phase::kEnded; }
  // Its keeper's ID of it; empty before Begin.
  [[nodiscard]] const std::string& id() const { return container_.id; }
  // What is needed to find the container after a restart of the agent; absent while none of its
  // processes is known.
  [[nodiscard]] std::optional<StartedContainer> Known() const;
  // The name of its group below the pod's, or below the node's where the identity names none of the
  // pod; empty: none, or not known.
  [[nodiscard]] const std::string& group() const { return group_; }
  // The writable layer, a folder; empty: not known.
  [[nodiscard]] const std::string& layer() const { return layer_; }
  // For messages: "container main of pod default/web (run 0)".
  [[nodiscard]] std::string Described() const;

 private:
  enum class Phase : std::uint8_t {
    kExpected,
    kRunning,
    kExiting,  // its process has ended; its keeper is asked how
    kEnded,
  };

  // Opens a handle of the process, now or, where that fails, later.
  void Attach();
  // kNotFound: nothing of the container runs.
  [[nodiscard]] Result<void> TakeProcess();
  [[nodiscard]] Result<void> FindGroup();
  [[nodiscard]] Result<std::optional<pid_t>> FirstProcess() const;
  [[nodiscard]] Result<std::optional<pid_t>> LeftBehind() const;
  void KillGroup();
  void TellKeeper(Duration timeout);
  [[nodiscard]] std::uint64_t PodOomKills() const;
  void OnProcessEnded();
  void AskHowItEnded();
  void OnStanding(const Result<ContainerStanding>& answer);
  void AskAgain();
  // It runs as another process than the one that has ended.
  void GoOnAs(pid_t pid);
  // Sets how long the keeper may take to report how the container ended; after that the kernel's
  // information is used.
  void SetPatience(Duration patience);
  void Exit(const ContainerExit& exit);
  // Of its group, from the node's.
  [[nodiscard]] std::string Path() const;

  RunDependencies& dependencies_;
  RunIdentity identity_;
  Phase phase_ = Phase::kExpected;
  StartedContainer container_;
  std::shared_ptr<ContainerKeeper> keeper_;
  std::string group_;
  std::string layer_;
  FileDescriptor process_;
  KernelWord seen_;
  std::uint64_t pod_oom_kills_ = 0;  // when it began
  int asked_ = 0;
  int attached_ = 0;  // tries that failed
  bool killed_ = false;
  bool is_gone_ = false;  // its process had ended before it was opened
  kernel::Readiness::Watch on_attach_again_;
  kernel::Readiness::Watch on_end_;
  kernel::Readiness::Watch on_patience_;
  kernel::Readiness::Watch on_ask_again_;
  Lifetime lifetime_;
};

}  // namespace jettison
