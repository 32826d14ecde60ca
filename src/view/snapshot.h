#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/agent_config.h"
#include "core/decide/eviction_pace.h"
#include "core/decide/holders.h"
#include "core/model/event.h"
#include "core/model/pod.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"
#include "core/report/cycle_report.h"
#include "core/units/duration.h"
#include "view/histories.h"
#include "view/node_counters.h"
#include "view/pod_status.h"

namespace jettison {

struct PastEviction;    // agent/notify/eviction_history.h
class ServedRecording;  // view/served_recording.h
struct ShadowView;      // core/shadow/shadow_pairing.h

// The state of the node as values, which the agent makes for onlookers: the dashboard, a status
// page. It shares nothing with the agent, and may be kept and read on any thread.

// One threshold beside the last reading of its signal.
struct ThresholdView {
  Threshold threshold;
  std::optional<Observation> observation;  // absent: the signal could not be measured
  bool has_no_such = false;                // this node has no such signal (HasNoSuch)
  bool met = false;                        // now, or before and minimum reclaim not yet reached
  bool overdue = false;                    // met for its whole grace period
  std::optional<Instant> since;            // met: first observed then
  std::optional<double> trend;             // of what is available, units a second (SignalTrends)
  std::optional<Duration> time_to;         // not met: until it is, at that trend, within an hour
};

// One condition of the node, as of the last pass.
struct ConditionView {
  NodeConditionType type = NodeConditionType::kMemoryPressure;
  bool status = false;
  Instant last_transition;  // the agent's start, where it never changed
};

// What the worker of a pod is doing.
enum class PodActivity : std::uint8_t {
  kWaiting,      // refused by admission, or evicted and not yet back
  kStarting,     // groups and volumes are made, init containers run
  kRunning,      // its containers run, or wait for their restart
  kTerminating,  // its containers are told to end
  kCleaningUp,   // they have ended; groups, volumes and directories are removed
  kFinished,     // Succeeded or Failed by itself, and will not be started again
};
[[nodiscard]] std::string_view NameOf(PodActivity activity);  // "waiting", "starting", ...

struct PodView {
  std::shared_ptr<const PodFacts> facts;  // never null: its specification and its ranking inputs
  std::string name;
  std::string namespace_;
  std::string uid;
  QosClass qos = QosClass::kBestEffort;
  std::int32_t priority = 0;
  PodOrigin source = PodOrigin::kOwn;
  Protection protection = Protection::kNone;
  bool wanted = false;   // by a manifest of this agent
  bool foreign = false;  // created by other software
  PodActivity activity = PodActivity::kWaiting;
  PodStatus status;
  int evictions = 0;                     // since its manifest was added
  int oom_kills = 0;                     // of its containers, the same
  std::size_t dead_containers = 0;       // runs that ended and are not removed yet
  std::optional<Instant> comes_back_at;  // evicted: the end of its back-off
  std::string refused_for;  // what admission refuses it for: "MemoryPressure"; empty: nothing
  // Figures of the last full pass; absent where they could not be read or the pod does not run.
  std::optional<std::uint64_t> memory_working_set_bytes;
  std::optional<std::uint64_t> process_count;
  std::optional<FsUsage> ephemeral_storage;
  std::optional<Instant> disk_measured_at;  // ephemeral_storage holds what was there then, or later
};

struct LoggedEvent {
  std::uint64_t sequence = 0;  // counts from 1; tells which events are new
  Instant at;
  std::string pod;  // "namespace/name"; empty for an event of the node
  Event event;
  // How often an equal event happened until `at`, as far as that is remembered, and the first time.
  int times = 1;
  Instant first_at;
  // What kept a pod from starting: "MemoryPressure"; empty: this is about something else. The
  // reason of such an event may be that of an eviction.
  std::string refused_for;
};

// How far the cluster has been told about this node.
struct ClusterTelling {
  std::size_t evictions_under_way = 0;  // not yet fully reported to it
  std::uint64_t events_dropped = 0;     // never reported to it
};

// What does not change while the agent runs.
struct NodeIdentity {
  AgentConfig config;  // with the node's name filled in
  Instant started_at;
  ResourceList capacity;  // cpu, memory, ephemeral-storage
  SharedAmounts allocatable{};
};

struct Snapshot {
  Instant at;
  std::shared_ptr<const NodeIdentity> node;  // null in tests alone
  std::shared_ptr<const PassPolicy> policy;  // what passes are made with; null in tests alone
  std::uint64_t passes =
      0;  // finished since the start; 0: none yet, so nothing is known of signals
  NodeConditions conditions;
  std::vector<ConditionView> condition_views;  // by name, as v1.Node lists them
  bool waiting_for_cleanup = false;            // of evicted pods
  bool reclaim_under_way = false;
  std::optional<EvictionPause> pause;  // of the next eviction
  std::optional<PaceInput> pace;       // what a pass now would use
  std::vector<Holders> holders;        // as of the last pass that read the pods
  std::vector<ThresholdView> thresholds;
  std::vector<PodView> pods;  // by namespace and name
  // The runtime has not listed its pods since the agent's start: `pods` has those that are known
  // without it.
  bool awaits_runtime = false;
  // Why staticPodPath cannot be read; empty: it can, it is not there yet, or there is none.
  std::string manifest_error;
  // Why no pods of the node are found in the cluster: the API server has never listed them, or has
  // no such node. Empty: they are, the server is away or has not been asked yet, or there is none.
  std::string cluster_error;
  // Why the agent's state is not kept in its root, what it does without, and what to do; empty: it
  // is kept there.
  std::string state_error;
  // Which limits on memory are wanted and not set, beside those in force; empty: all are set.
  std::string limits_error;
  // Since when the agent's loop hangs, so that all this is from then; empty: it turns.
  std::string loop_error;
  std::vector<std::string> not_guarded;            // ContainerRuntime::NotGuarded
  std::vector<LoggedEvent> events;                 // the last ones, newest last
  std::shared_ptr<const CycleReport> last_report;  // null before the first pass
  // Figures of the node now, of pods as of the last full pass; null before that.
  std::shared_ptr<const Summary> summary;
  std::optional<Instant> pods_measured_at;  // the last full pass
  // The last full passes, and those others that did something; oldest first.
  std::vector<std::shared_ptr<const RecordedPass>> cycles;
  std::vector<SignalSample> history;             // the last hour, oldest first
  std::shared_ptr<const NodeCounters> counters;  // null in tests alone
  // Why pods were evicted since the agent's start, oldest first; null in tests alone.
  std::shared_ptr<const std::vector<std::shared_ptr<const PastEviction>>> evictions;
  std::shared_ptr<ServedRecording> recording;  // null: nothing is recorded
  // A dry run beside what the kubelet did; null: the agent is not in shadow mode.
  std::shared_ptr<const ShadowView> shadow;
  std::optional<ClusterTelling> cluster;  // absent: nothing is told to a cluster
};

}  // namespace jettison
