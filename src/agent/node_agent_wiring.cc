// How the parts of the agent are put together.
#include <sys/eventfd.h>

#include <algorithm>
#include <utility>

#include "agent/memory_ladder_thread.h"
#include "agent/node_agent.h"
#include "agent/runtime_reclaimer.h"
#include "config/containerfs_thresholds.h"
#include "pod_host/cgroup_layout.h"
#include "pod_host/group_memory_files.h"

namespace jettison {
namespace {

constexpr std::size_t kEventsKept = 256;

NodeSettings SettingsOf(const AgentConfig& config, const AgentOptions& options) {
  NodeSettings settings;
  settings.policy = {
      .thresholds = ThresholdsFor(config.eviction.thresholds, DiskLayout{}),
      .pressure_transition_period = config.eviction.pressure_transition_period,
      .max_pod_grace_period_seconds = config.eviction.max_pod_grace_period_seconds,
      .local_storage_capacity_isolation = config.eviction.local_storage_capacity_isolation,
      .layout = {}};
  settings.monitoring_interval = config.monitoring_interval;
  settings.container_gc = config.container_gc;
  settings.memory_notifications = config.kernel_memcg_notification;
  settings.look_ahead = true;
  settings.record_passes = options.board != nullptr;
  settings.dry_run = options.dry_run;
  return settings;
}

AgentConfig WithOptions(AgentConfig config, const AgentOptions& options) {
  config.dry_run = config.dry_run || options.dry_run;
  return config;
}

BackoffRule ComeBackRule(const AgentConfig& config) {
  BackoffRule rule = kComeBackRule;
  rule.initial = config.eviction_backoff.initial;
  rule.max = config.eviction_backoff.max;
  return rule;
}

BackoffRule RestartRule(const AgentConfig& config) {
  BackoffRule rule = kRestartRule;
  rule.max = config.max_restart_backoff;
  rule.initial = std::min(rule.initial, rule.max);
  return rule;
}

std::unique_ptr<NodeKiller> KillerFor(const AgentOptions& options, PodTable& pods,
                                      const Clock& clock) {
  if (options.dry_run) return std::make_unique<DryRunKiller>();
  return std::make_unique<TableKiller>(pods, clock);
}

// Below the root, which is locked, nobody else has logs; elsewhere a kubelet may.
std::unique_ptr<PodLogsCollector> PodLogsOf(const AgentConfig& config, const Log& log) {
  const std::string& folder = config.logs.directory;
  const std::string below = config.root == "/" ? "/" : config.root + "/";
  if (!folder.starts_with(below)) return nullptr;
  return std::make_unique<PodLogsCollector>(folder, config.root + "/pods", log);
}

}  // namespace

NodeAgent::NodeAgent(const AgentConfig& config, AgentOptions options, std::unique_ptr<Log> log,
                     std::unique_ptr<Machine> machine, const NodeShares& shares)
    : config_(WithOptions(config, options)),
      options_(std::move(options)),
      log_(std::move(log)),
      machine_(std::move(machine)),
      events_(*log_, kEventsKept),
      worker_edges_{.runtime = *machine_->runtime,
                    .events = events_,
                    .log = *log_,
                    .memory_capacity_bytes = shares.memory_bytes,
                    .restart_rule = RestartRule(config_)},
      pods_(config_.profile, ComeBackRule(config_), worker_edges_, shares.allocatable),
      figures_({.node = *machine_->node_groups,
                .pods = machine_->pod_groups(),
                .procfs = *machine_->procfs,
                .whole_machine = config_.node_cgroup.empty(),
                .memory_estimator = config_.memory_estimator,
                .node_fs = config_.node_fs,
                .runtime = machine_->runtime.get(),
                .cgroup_driver = config_.cgroup_driver,
                .thresholds = config_.eviction.thresholds},
               machine_->clock, *log_),
      disk_walks_(*machine_->runtime, std::make_shared<SteadyClock>(machine_->clock)),
      arming_([this](Signal signal) -> Result<FileDescriptor> {
        if (machine_->cgroup_version == CgroupVersion::kV2) {
          return Fail(ErrorCode::kUnavailable, "cgroup v2 has no levels of usage");
        }
        return signal == Signal::kMemoryAvailable ? machine_->node_groups->OpenMemoryDirectory("")
                                                  : machine_->pod_groups().OpenMemoryDirectory(
                                                        pod_host::PodsGroup(config_.cgroup_driver));
      }),
      killer_(KillerFor(options_, pods_, machine_->clock)),
      hooks_(config_.hooks, config_.node_name, options_.dry_run,
             [this](std::string_view uid) { return pods_.NameOfPod(uid); }),
      hooking_killer_(*killer_, hooks_, machine_->clock),
      orphan_groups_(machine_->pod_groups(), config_.cgroup_driver, *log_),
      pod_logs_(PodLogsOf(config_, *log_)),
      images_(MakeImageCollector()),
      reclaimer_(MakeReclaimer()),
      ladder_(MakeMemoryLadder()),
      evictions_({.folder = config_.root + "/evictions",
                  .dry_run = config_.dry_run,
                  .memory_estimator = config_.memory_estimator},
                 *log_),
      node_(
          SettingsOf(config_, options_),
          {.clock = machine_->clock,
           .figures = figures_,
           .disk_walks = disk_walks_,
           .notifier = arming_,
           .pods = pods_,
           .killer = hooking_killer_,
           .reclaimer = *reclaimer_,
           .events = events_,
           .log = *log_,
           .collect_remains =
               [this] {
                 CollectLogs();
                 SweepGroups();
               },
           .on_conditions = [this](NodeConditions before, NodeConditions after,
                                   Instant now) { hooks_.ConditionsChanged(before, after, now); },
           .on_cleanup = [this](bool all_gone, Instant now) { hooks_.CleanedUp(all_gone, now); },
           .ladder = ladder_.get(),
           .on_eviction =
               [this](const std::shared_ptr<const RecordedPass>& pass) { evictions_.Add(pass); }}),
      // A dry run evicts nobody, so it has nothing to keep and nothing to go on with.
      keeper_(config_.dry_run ? "" : config_.root + "/node-state", machine_->clock, *log_),
      status_file_(config_.node_status_file, options_.node_status),
      manifest_pods_(*log_),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      identity_(
          std::make_shared<const NodeIdentity>(NodeIdentity{.config = config_,
                                                            .started_at = machine_->clock.Now(),
                                                            .capacity = shares.capacity,
                                                            .allocatable = shares.allocatable})) {
  if (!options_.reread_config) return;
  config_reader_.emplace(ThreadPurpose{"config", "SIGHUP has no effect"}, AtEnd::kLeave);
}

std::unique_ptr<ImageCollector> NodeAgent::MakeImageCollector() {
  if (!machine_->images) return nullptr;
  image_records_ =
      std::make_unique<ImageRecordFile>(config_.root + "/images.json", machine_->clock, *log_);
  return std::make_unique<ImageCollector>(
      ImageCollectorSettings{.policy = config_.image_gc},
      ImageCollectorEdges{.clock = machine_->clock,
                          .images = *machine_->images,
                          .figures = figures_,
                          .records = *image_records_,
                          .events = events_,
                          .log = *log_,
                          .needed = [this] { return pods_.ImagesThatStay(); }});
}

std::unique_ptr<LastingReclaimer> NodeAgent::MakeReclaimer() {
  if (options_.dry_run) return std::make_unique<DryRunReclaimer>();
  if (!images_) {
    return std::make_unique<TableReclaimer>(pods_, *machine_->runtime, config_.container_gc,
                                            machine_->clock);
  }
  return std::make_unique<RuntimeReclaimer>(RuntimeReclaimerEdges{
      .clock = machine_->clock,
      .figures = figures_,
      .images = *images_,
      .delete_dead_containers = [this] {
        const Instant now = machine_->clock.Now();
        const bool going = pods_.AnyIsBeingRemoved(now) || machine_->runtime->RemovingContainers();
        return (going ? 1 : 0) + CollectLogs() +
               ForgetDeadContainers(pods_, config_.container_gc, ForgetOf::kEndedPodsToo, now);
      }});
}

std::unique_ptr<MemoryLadder> NodeAgent::MakeMemoryLadder() {
  if (config_.memory_reclaim == MemoryReclaim::kOff) return nullptr;
  group_memory_ = std::make_unique<pod_host::GroupMemoryFiles>(machine_->pod_groups());
  if (options_.dry_run) dry_group_memory_ = std::make_unique<DryRunGroupMemory>(*group_memory_);
  return std::make_unique<MemoryLadderThread>(
      MemoryLadderSettings{.reclaim = config_.memory_reclaim,
                           .pods_group = std::string(pod_host::PodsGroup(config_.cgroup_driver)),
                           .estimator = config_.memory_estimator},
      MemoryLadderEdges{.groups = machine_->pod_groups(),
                        .memory = dry_group_memory_ ? *dry_group_memory_ : *group_memory_,
                        .clock = machine_->clock,
                        .log = *log_,
                        .group_of = [this](const PodFacts& facts) -> std::string {
                          if (!machine_->runtime->ForeignGroupsOf(facts.pod.uid).empty()) return {};
                          return pod_host::PodGroup(facts.qos, facts.pod.uid,
                                                    config_.cgroup_driver);
                        }});
}

// Before the runtime has told its pods nobody can say which groups are of none.
void NodeAgent::SweepGroups() {
  if (!listed_) return;
  const auto views = pods_.Views(machine_->clock.Now());
  orphan_groups_.Sweep([this](std::string_view uid) { return pods_.IsOnNode(uid); },
                       std::ranges::any_of(views, &PodView::foreign));
}

std::size_t NodeAgent::CollectLogs() {
  return pod_logs_ ? pod_logs_->Collect(pods_.StandingForGc()) : 0;
}

}  // namespace jettison
