#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/cluster/cluster_side.h"
#include "agent/cluster/shadow_watch.h"
#include "agent/cluster/soft_evictions.h"
#include "agent/config_in_force.h"
#include "agent/disk/disk_walk_thread.h"
#include "agent/figures/stats_collector.h"
#include "agent/machine.h"
#include "agent/notify/eviction_history.h"
#include "agent/notify/hooks.h"
#include "agent/passes/node.h"
#include "agent/pods/pod_groups.h"
#include "agent/pods/pod_table.h"
#include "agent/reclaim/image_collector.h"
#include "agent/recorder/recorder.h"
#include "agent/state/state_file.h"
#include "agent/wake/memory_watch.h"
#include "kernel/groups/layout/qos_groups.h"
#include "machine/log/event_log.h"
#include "machine/log/log.h"
#include "view/snapshot.h"

namespace jettison {

class Board;  // view/board.h

// Options of the caller, in addition to the configuration.
struct AgentOptions {
  bool stop_pods = false;  // end every pod, with its grace period, before Run returns
  // SIGTERM and SIGINT end Run. Where false, the caller keeps its signals and calls Stop.
  bool handle_signals = true;
  LogFormat log_format = LogFormat::kText;
  // Takes each line of the log, without newline; empty: lines go to standard error.
  std::function<void(std::string_view)> log;
  // Called on the agent's thread after each pass, and after each change of a pod or event, but
  // never between a decision and its kill. It must return soon, because the node is not watched
  // meanwhile.
  std::function<void(const Snapshot&)> observer;
  ConfigReaders config;
  // Called with the configuration in effect after the agent has read it again.
  std::function<void(const AgentConfig&)> on_config;
  // Gives other threads snapshots of the agent; null: nobody looks on, and no passes are kept.
  std::shared_ptr<Board> board;
};

// The parts of the agent. Each part uses only parts that come before it.
struct AgentParts {
  std::unique_ptr<EventLog> events;
  std::unique_ptr<kernel::QosGroups> qos_groups;
  std::unique_ptr<WorkerDependencies> worker_dependencies;
  std::unique_ptr<PodTable> pods;
  std::unique_ptr<StatsCollector> figures;
  std::unique_ptr<DiskWalkThread> disk_walks;
  std::unique_ptr<MemoryWatch> memory;
  std::unique_ptr<Hooks> hooks;
  std::unique_ptr<ClusterSide> cluster;  // null: there is no cluster
  std::unique_ptr<ShadowWatch> shadow;   // null: the same, or no dry run
  // Asks the API server before a pod is evicted for a soft threshold. Null, as are the three after
  // it: soft evictions are made without asking.
  std::unique_ptr<ClusterSoftEvictions> soft_evictions;
  std::unique_ptr<OrphanGroups> orphan_groups;  // null: groups of pods are others'
  std::unique_ptr<ImageCollector> images;       // null where the runtime has no images
  std::unique_ptr<LastingReclaimer> reclaimer;
  std::unique_ptr<EvictionHistory> evictions;
  std::shared_ptr<Recorder> recorder;  // null: nothing is recorded
  std::unique_ptr<Node> node;
  std::shared_ptr<StateFile> state;
  bool listed = false;                // the runtime has listed its pods
  std::uint64_t runtime_unready = 0;  // how often it did not answer
  WalkCounters walks;
  // Whether every pod that the manifests want is known. Set by the agent; null: it is not known.
  std::function<bool()> manifests_are_read;
  // Takes up a capacity that has changed. Set by the agent; null: it does not change.
  std::function<void()> follow_capacity;
};

// Builds them. The machine and the log must outlive them. `node` tells the resources of the node.
[[nodiscard]] std::unique_ptr<AgentParts> BuildParts(const AgentConfig& config,
                                                     const AgentOptions& options, Machine& machine,
                                                     const NodeIdentity& node, const Log& log);

// The snapshot of the node (Node::MakeSnapshot), with what its parts and the machine know beside
// it.
[[nodiscard]] Snapshot ShownOf(const AgentParts& parts, const Machine& machine, const Log& log);

}  // namespace jettison
