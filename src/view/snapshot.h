#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/config/agent_config.h"
#include "core/decide/eviction_pace.h"
#include "core/decide/holders.h"
#include "core/model/eviction.h"
#include "core/model/pod.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"
#include "core/text/enum_names.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "view/histories.h"
#include "view/node_counters.h"

namespace jettison {

struct PastEviction;  // agent/notify/eviction_history.h
struct ShadowView;    // core/shadow/shadow_book.h

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

// The parts of a v1.PodStatus that a node agent keeps, with the names of the Kubernetes API.

enum class PodPhase : std::uint8_t { kPending, kRunning, kSucceeded, kFailed };
template <>
inline constexpr auto kNamesOf<PodPhase> = EnumNames("Pending", "Running", "Succeeded", "Failed");

// What a container waits for: reason "PodInitializing", "ContainerCreating", "CrashLoopBackOff",
// or that of a start that failed (ReasonOf).
struct ContainerWaiting {
  std::string reason;
  std::string message;
};
struct ContainerRunning {
  Instant started_at;
};
struct ContainerTerminated {
  ContainerExit exit;
  std::string start_error = {};  // why its program could not be run; empty: it ran
};
using ContainerState = std::variant<ContainerWaiting, ContainerRunning, ContainerTerminated>;

// "Completed" after exit code 0, "OOMKilled" where the kernel's OOM killer struck, else "Error".
[[nodiscard]] std::string_view TerminationReason(const ContainerExit& exit);

struct ContainerStatus {
  std::string name;
  bool init = false;  // an init container; sidecars are init containers too
  ContainerState state = ContainerWaiting{.reason = "ContainerCreating", .message = {}};
  std::optional<ContainerExit> last_state;  // how the run before this one ended
  int restart_count = 0;
  bool ready = false;  // it runs, or it is an init container that has completed
};

struct PodCondition {
  std::string type;  // "Initialized", "ContainersReady", "Ready", "DisruptionTarget"
  bool status = false;
  std::string reason;  // may be empty
  std::string message;
  Instant last_transition;
};

struct PodStatus {
  PodPhase phase = PodPhase::kPending;
  std::string reason;   // "Evicted"; empty where there is nothing special
  std::string message;  // of the eviction or of the refusal
  std::vector<PodCondition> conditions;
  std::vector<ContainerStatus> containers;  // init containers first, each in the order of the spec
  std::optional<Instant> start_time;        // when the pod was admitted

  // The condition of that type; null where the pod has none.
  [[nodiscard]] const PodCondition* Find(std::string_view type) const;
  // Sets a condition; its time of transition moves only when its status does.
  void Set(PodCondition condition);
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
template <>
inline constexpr auto kNamesOf<PodActivity> = EnumNames("waiting", "starting", "running",
                                                        "terminating", "cleaning up", "finished");

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

// What the flight recorder has done since the agent started.
struct RecorderCounters {
  std::uint64_t passes = 0;        // taken in
  std::uint64_t dropped = 0;       // items that it had no time for
  std::uint64_t bytes = 0;         // of the chunks that were written
  std::uint64_t write_errors = 0;  // chunks that could not be written
};

// The time of which a client wants the recording: chunks that hold nothing of it are left out.
// Absent: no bound.
struct RecordingTimes {
  std::optional<Instant> since;
  std::optional<Instant> until;
};

// A recording on its way to one client, which gives it up by destroying this. For one thread.
// Answers the next bytes, and never waits. Empty: they are being read, and the client is woken when
// they are there. Absent: that was all. Fails if there is more that cannot be read.
using RecordingFetch = std::function<Result<std::optional<std::string>>()>;

// The agent's recording, for onlookers on any thread.
class ServedRecording {
 public:
  // Wakes a client on the thread of the recorder; it must not wait.
  using WakeClient = std::function<void()>;

  virtual ~ServedRecording() = default;
  // Everything that was recorded before its first bytes are read, also what is not on the disk yet.
  // The disk is read on the recorder's thread, so no client waits for it. kUnavailable: as many
  // clients as are served at a time are there already, or the recorder has ended. The recording
  // must outlive the fetch, and `wake` is not called any more when the fetch is destroyed.
  [[nodiscard]] virtual Result<RecordingFetch> Fetch(const RecordingTimes& times,
                                                     WakeClient wake) = 0;
  [[nodiscard]] virtual RecorderCounters counters() const = 0;
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
