#pragma once

#include <sys/eventfd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent_parts.h"
#include "agent/config_in_force.h"
#include "agent/figures/file_systems.h"
#include "agent/machine.h"
#include "agent/manifests/manifest_watch.h"
#include "agent/notify/service_notify.h"
#include "core/units/result.h"
#include "machine/loop/event_loop.h"
#include "machine/loop/steady_clock.h"
#include "ports/file_descriptor.h"
#include "view/board.h"

namespace jettison {

// The agent: it watches the node, runs its pods, and evicts pods under node pressure. It is one
// loop that feeds a Node from this machine.
class NodeAgent {
 public:
  // `machine` is open; `log` and `machine` belong together and live as long as this. `node` has the
  // resources of the node.
  NodeAgent(const AgentConfig& config, AgentOptions options, std::unique_ptr<Log> log,
            std::unique_ptr<Machine> machine, const NodeIdentity& node);

  // Runs until Stop or a signal. An error is permanent: a retry would fail, too.
  [[nodiscard]] Result<void> Run();
  // Makes Run return: at once, or after its pods have ended where `stop_pods` is set. From any
  // thread and from signal handlers; more than once does no harm.
  void Stop() { ::eventfd_write(stop_asked_.get(), 1); }

 private:
  [[nodiscard]] Result<void> WatchAll();
  // Ends at once, or after the pods have ended; the node is watched meanwhile.
  void TakeStop();
  // Whether nothing is waited for any more before the agent ends.
  [[nodiscard]] bool IsOver() const;
  // Asks the runtime for its pods, again and again until it answers. If it does not answer at
  // once, the pods that are known without it are watched meanwhile. (The kubelet starts only when
  // it answers: updateRuntimeUp.)
  void TryRuntime();
  void GoOnWithoutRuntime(const Error& error);
  void TakeUpState();
  void Guard();
  void Begin(std::vector<RuntimePod> pods);
  // Runs what the manifests want; `own`: the agent's own pods that run already.
  void Work(const std::vector<Pod>& own);
  // Until then, no threshold on imagefs acts.
  void SetLayout(DiskLayout layout);
  void SurveyFileSystems(const StorageFolders& folders);
  void WatchAlarms();
  void TakeRuntimeEvents();
  void Want(std::optional<std::vector<SharedPodFacts>> pods);
  void TakeDiskUse();
  void AskForConfig();
  void TakeConfig();
  void UseConfig(const ConfigInForce::Taken& taken);
  // Memory may be added or taken, huge pages reserved, and a container's limit changed.
  void FollowCapacity();
  // Before anything is decided: what was suspended counts for no grace period. Allocates nothing
  // where the machine was not.
  void LookForSuspend();
  // After everything else of a turn: tries threads again that could not be started, gives up jobs
  // that hang, and says which threads are missing.
  void SeeToThreads(Instant now);
  void AdvanceAll(Instant now);
  void ReportToCluster(Instant now);
  void NotifyServiceManager(Instant now);
  void SaveState(Instant now);
  [[nodiscard]] StateChanges Changes() const;  // of what is saved
  [[nodiscard]] AgentState State(Instant now) const;
  // The board is readable: an onlooker asked for a snapshot, which ShowOnBoard makes, or left a
  // note.
  void TakeFromBoard();
  void ShowOnBoard(Instant now);
  void AfterEachTurn();
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  AgentOptions options_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Machine> machine_;
  ConfigInForce config_;
  std::unique_ptr<AgentParts> parts_;
  ManifestWatch manifests_;
  std::optional<ImagePlaces> image_places_;  // absent: there are no images
  std::optional<DiskSurvey> survey_;         // absent: the runtime has not said where they are
  ServiceNotify service_;
  std::unique_ptr<EventLoop> loop_;  // while it runs

  SavedNode saved_node_;          // until the guard begins
  AgentState of_others_;          // in a dry run: as it was found
  std::optional<Error> refusal_;  // why this agent must not go on
  FileDescriptor stop_asked_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  bool quits_ = false;
  bool stopping_pods_ = false;       // nothing new is started
  std::optional<Instant> next_try_;  // of the runtime
  Duration slept_ = SteadyClock::Slept();
  std::optional<Instant> next_care_;  // of the threads
  std::size_t missing_threads_ = 0;   // which were told
  bool begun_ = false;                // passes are run
  bool snapshot_asked_ = false;       // by an onlooker
  std::uint64_t shown_passes_ = 0;    // of what the onlookers have been told
  std::uint64_t shown_events_ = 0;
  bool ready_ = false;                 // the service manager has been told
  std::optional<Instant> next_alive_;  // sign of life for the service manager
};

// Opens everything that the agent needs and takes the lock on its root directory, but starts
// nothing yet. Errors say what to do: not root, root directory not writable or in use, no cgroup
// memory controller, ...
[[nodiscard]] Result<std::unique_ptr<NodeAgent>> OpenAgent(const AgentConfig& config,
                                                           AgentOptions options);

}  // namespace jettison
