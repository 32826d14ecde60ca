#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/arming_thread.h"
#include "agent/board.h"
#include "agent/disk_walk_thread.h"
#include "agent/event_log.h"
#include "agent/event_loop.h"
#include "agent/eviction_history.h"
#include "agent/hooks.h"
#include "agent/image_collector.h"
#include "agent/image_records.h"
#include "agent/machine.h"
#include "agent/manifest_pods.h"
#include "agent/memory_alarms.h"
#include "agent/node.h"
#include "agent/node_actions.h"
#include "agent/node_status_file.h"
#include "agent/orphan_groups.h"
#include "agent/pod_logs_collector.h"
#include "agent/pod_table.h"
#include "agent/service_notify.h"
#include "agent/state_keeper.h"
#include "agent/stats_collector.h"
#include "config/config_changes.h"
#include "config/read_config.h"
#include "decide/room.h"
#include "ports/group_memory.h"

namespace jettison {

// What the node has for its pods.
struct NodeShares {
  std::uint64_t memory_bytes = 0;  // its capacity
  SharedAmounts allocatable{};     // what pods may ask for together
  ResourceList capacity;           // as v1.Node tells it
};

// The agent as it runs: one loop that feeds a Node from this machine.
class NodeAgent : public Agent {
 public:
  // `machine` is open; `log` and `machine` belong together and live as long as this.
  NodeAgent(const AgentConfig& config, AgentOptions options, std::unique_ptr<Log> log,
            std::unique_ptr<Machine> machine, const NodeShares& shares);

  [[nodiscard]] Result<void> Run() override;
  void Stop() override;
  [[nodiscard]] const Log& log() const override { return *log_; }

 private:
  [[nodiscard]] Result<void> WatchAll();
  // Calls back while `fd` is readable; where the loop cannot watch it, every now and then.
  void Attend(int fd, EventLoop::Callback callback);
  void LookByClock(Instant now);
  void AskForConfig();
  void TakeConfig();
  void UseConfig(const ConfigReading& reading);
  void TellChanges(const ConfigChanges& changes) const;
  void UseEviction();
  void LookAfterThreads(Instant now);
  void TryRuntime();
  void BeginGuard();
  void Begin(std::vector<RuntimePod> pods);
  [[nodiscard]] Result<void> CheckPlacesOf(const std::vector<RuntimePod>& pods) const;
  void SurveyFileSystems();
  [[nodiscard]] std::unique_ptr<ImageCollector> MakeImageCollector();
  [[nodiscard]] std::unique_ptr<LastingReclaimer> MakeReclaimer();
  [[nodiscard]] std::unique_ptr<MemoryLadder> MakeMemoryLadder();
  std::size_t CollectLogs();
  void SweepGroups();
  void TakeRuntimeEvents();
  void CountDiskUseOf(const std::string& pod_uid);
  void TakeManifests();
  void RescanManifests();
  void TakeArmedLevels();
  void WatchAlarms();
  void TakeDiskUse();
  void TakeStop();
  void EndWhenNothingIsHalfMade();
  void TakeStatusErrors();
  [[nodiscard]] std::string ManifestError() const;
  void TakeUpKept();
  [[nodiscard]] KeptState Kept(Instant now) const;
  void KeepState(Instant now);
  void LookAtClocks();
  void ShowBoard(Instant now);
  [[nodiscard]] Snapshot SnapshotNow() const;
  [[nodiscard]] NodeCounters Counters() const;
  void AfterEachTurn();
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  AgentConfig config_;
  AgentOptions options_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Machine> machine_;
  EventLog events_;
  WorkerEdges worker_edges_;
  PodTable pods_;
  StatsCollector figures_;
  DiskWalkThread disk_walks_;
  ArmingThread arming_;
  std::unique_ptr<NodeKiller> killer_;
  Hooks hooks_;
  HookingKiller hooking_killer_;
  OrphanGroups orphan_groups_;
  std::unique_ptr<PodLogsCollector> pod_logs_;      // null: logs are where others may have theirs
  std::unique_ptr<ImageRecordFile> image_records_;  // null where the runtime has no images
  std::unique_ptr<ImageCollector> images_;          // the same
  std::unique_ptr<LastingReclaimer> reclaimer_;
  std::unique_ptr<GroupMemory> group_memory_;  // null: memory is taken from nobody
  std::unique_ptr<GroupMemory> dry_group_memory_;
  std::unique_ptr<MemoryLadder> ladder_;  // the same
  EvictionHistory evictions_;
  Node node_;
  StateKeeper keeper_;
  KeptNode kept_node_;  // until the guard begins
  NodeStatusFile status_file_;
  ManifestPods manifest_pods_;
  Result<void> manifests_watched_;
  std::optional<Error> refusal_;  // why this agent must not go on
  MemoryAlarms alarms_;
  std::vector<MemcgThreshold> levels_;  // registered, and watched by the loop
  FileDescriptor stop_;
  std::atomic<bool> stop_asked_ = false;
  std::unique_ptr<EventLoop> loop_;
  ServiceNotify service_;
  // What reads files again may hang with them, so both are left behind then.
  std::shared_ptr<Mailbox<ConfigReading>> readings_ = std::make_shared<Mailbox<ConfigReading>>();
  std::optional<BackgroundThread> config_reader_;
  std::vector<EventLoop::Callback> by_clock_;  // of what the loop cannot watch

  WalkCounters walks_;
  std::uint64_t runtime_unready_ = 0;  // times that it did not answer when it was waited for
  std::shared_ptr<const NodeIdentity> identity_;
  bool board_asked_ = false;
  std::uint64_t shown_passes_ = 0;  // of what the board's onlookers have been told
  std::uint64_t shown_events_ = 0;

  Duration slept_ = SteadyClock::Slept();  // until the last turn
  Duration wall_ahead_{0};                 // of the agent's clock, the same

  bool begun_ = false;     // passes are run
  bool listed_ = false;    // the runtime has told what it runs
  bool ready_ = false;     // the service manager has been told
  bool stopping_ = false;  // pods are being ended before Run returns
  bool said_unready_ = false;
  bool said_unwatched_ = false;
  bool said_unarmed_ = false;
  bool said_no_status_ = false;
  std::optional<Instant> next_try_;     // of the runtime
  std::optional<Instant> next_rescan_;  // of the manifests
  std::optional<Instant> next_look_by_clock_;
  std::optional<Instant> next_alive_;    // sign of life for the service manager
  std::optional<Instant> next_threads_;  // when those that are missing are tried again
  std::optional<Instant> quit_at_;  // set: the end is wanted, and waits for the runtime till then
  Duration try_delay_{0};
};

}  // namespace jettison
