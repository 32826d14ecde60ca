#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "containers/anchor.h"
#include "containers/container_exit.h"
#include "containers/lifetime.h"
#include "containers/run_edges.h"
#include "core/model/pod.h"
#include "kernel/readiness/readiness.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Which run of which container. What it refers to must outlive whoever has it.
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

// One run of a container from the moment that it runs to its end, whoever keeps it: it is signalled
// and killed through the kernel, which also has the news of its end. How it ended its anchor says,
// or the kernel where that does not answer in time. Then it tells ContainerExited.
class RunningContainer {
 public:
  // `edges` must outlive this.
  RunningContainer(RunEdges& edges, RunIdentity identity);
  RunningContainer(const RunningContainer&) = delete;
  RunningContainer& operator=(const RunningContainer&) = delete;
  // What runs goes on running.
  ~RunningContainer() = default;

  // It is about to run: what is OOM-killed in the pod from now on may be it.
  void Expect();
  // It runs, and hangs on this.
  void Begin(const StartedContainer& container, std::shared_ptr<Anchor> anchor);
  // Once after Begin, when that has been told: whether it is over already. Then it is asked how.
  bool LookForEnd();
  // The image's stop signal, TERM if it has none. Where no process is known its keeper is told, who
  // has `grace`. Nothing happens unless it runs.
  void Stop(Duration grace);
  // KILL for its whole group; its keeper is told afterwards.
  void Kill();
  // Before Begin: KILL for the group that is named after this ID. The run counts as killed.
  void KillByName(const std::string& id);
  // Its keeper was asked for all it has, and this run was among it as ended, or missing.
  void OnListedDead();

  // Its process runs, as far as is known.
  [[nodiscard]] bool running() const { return phase_ == Phase::kRunning; }
  [[nodiscard]] bool ended() const { return phase_ == Phase::kEnded; }
  [[nodiscard]] const RunIdentity& identity() const { return identity_; }
  // Its keeper's ID of it; empty before Begin.
  [[nodiscard]] const std::string& id() const { return container_.id; }
  // What there is to find it by after a restart of the agent; absent while no process of it is
  // known.
  [[nodiscard]] std::optional<StartedContainer> Known() const;
  // The name of its group below the pod's, or below the node's where the identity names none of the
  // pod; empty: none, or not known.
  [[nodiscard]] const std::string& group() const { return group_; }
  // The folder that takes what it writes; empty: not known.
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

  // Takes hold of the process, now or, where it cannot be had, later.
  void Attach();
  // kNotFound: the container's process has ended.
  [[nodiscard]] Result<void> TakeProcess();
  void KillGroup();
  void TellKeeper(Duration timeout);
  [[nodiscard]] std::uint64_t PodOomKills() const;
  void OnProcessEnded();
  void AskHowItEnded();
  void OnStanding(const Result<ContainerStanding>& answer);
  // How long its keeper has to say how it ended; then what the kernel tells has to do.
  void SetPatience(Duration patience);
  void Exit(const ContainerExit& exit);
  [[nodiscard]] std::string Path() const;

  RunEdges& edges_;
  RunIdentity identity_;
  Phase phase_ = Phase::kExpected;
  StartedContainer container_;
  std::shared_ptr<Anchor> anchor_;
  std::string group_;
  std::string layer_;
  FileDescriptor process_;
  KernelWord seen_;
  std::uint64_t pod_oom_kills_ = 0;  // when it began
  int asked_ = 0;
  int attached_ = 0;  // tries that failed
  bool killed_ = false;
  bool is_gone_ = false;  // its process had ended before it was taken hold of
  kernel::Readiness::Watch on_attach_again_;
  kernel::Readiness::Watch on_end_;
  kernel::Readiness::Watch on_patience_;
  kernel::Readiness::Watch on_ask_again_;
  Lifetime lifetime_;
};

}  // namespace jettison
