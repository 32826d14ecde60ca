#include "agent/agent_parts.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/plans/pod_plans.h"
#include "agent/reclaim/reclaimer.h"
#include "core/model/pod.h"
#include "core/thresholds/threshold_settings.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "machine/cgroups/host_cgroups.h"

namespace jettison {
namespace {

constexpr std::size_t kEventsKept = 256;

// As old as the kubelet's figures of volumes may be, which it evicts by.
constexpr Duration kWalkServes = std::chrono::minutes(1);

// What the agent knows of the file systems before the runtime has said where its images are.
std::optional<DiskLayout> LayoutAtStart(const Machine& machine) {
  if (machine.images) return std::nullopt;
  return DiskLayout{};
}

NodeSettings SettingsOf(const AgentConfig& config, const AgentOptions& options,
                        const std::optional<DiskLayout>& layout) {
  NodeSettings settings;
  settings.policy = {
      .thresholds = ThresholdsFor(config.eviction.thresholds, layout),
      .pressure_transition_period = config.eviction.pressure_transition_period,
      .max_pod_grace_period_seconds = config.eviction.max_pod_grace_period_seconds,
      .local_storage_capacity_isolation = config.eviction.local_storage_capacity_isolation,
      .layout = layout.value_or(DiskLayout{}),
      .hard_first = config.source == SourceKind::kKubernetes && !config.dry_run};
  settings.layout_known = layout.has_value();
  settings.monitoring_interval = config.monitoring_interval;
  settings.walk_serves = kWalkServes;
  settings.memory_notifications = config.kernel_memcg_notification;
  settings.record_passes = options.board != nullptr || config.recording.enabled;
  return settings;
}

BackoffRule ComeBackRule(const AgentConfig& config) {
  BackoffRule rule = kComeBackRule;
  rule.initial = config.eviction_backoff.initial;
  rule.max = config.eviction_backoff.max;
  return rule;
}

BackoffRule RestartRule(const AgentConfig& config) {
  BackoffRule rule = kRestartRule;
  rule.max = config.restart_backoff.max;
  rule.initial = std::min(rule.initial, rule.max);
  return rule;
}

// The log line names the runtime first, because that says whose pods are affected.
kernel::QosGroups::OnFailure QosFailureLog(RuntimeKind runtime, const Log& log) {
  const char* const whose =
      runtime == RuntimeKind::kProcess ? "process runtime" : "container runtime";
  return [&log, whose](const Error& error) {
    if (error.code == ErrorCode::kNotFound) return;
    log.Warn(whose, {{"problem", error.In("set the CPU shares of the pods' groups").message}});
  };
}

// The machine's time, also for a thread that is left behind when the agent ends.
const Clock& LastingClock() {
  static const auto* const clock = new SteadyClock();
  return *clock;
}

std::optional<std::uint64_t> ReservedFromPods(const AgentConfig& config) {
  const NodeReservation& reservation = config.reservation;
  if (config.source == SourceKind::kKubernetes || !reservation.enforce_pods) return std::nullopt;
  std::uint64_t kept = 0;
  for (const ResourceList* list : {&reservation.kube_reserved, &reservation.system_reserved}) {
    const Quantity* memory = FindResource(*list, "memory");
    if (memory != nullptr) kept += static_cast<std::uint64_t>(memory->Value());
  }
  return kept;
}

// Beside a kubelet there are no manifests to wait for.
std::optional<std::vector<std::string>> NeededImages(SourceKind source, const AgentParts& parts) {
  const bool is_known =
      source != SourceKind::kManifests || (parts.manifests_are_read && parts.manifests_are_read());
  return is_known ? std::optional(parts.pods->ImagesThatStay()) : std::nullopt;
}

void BuildImages(const AgentConfig& config, Machine& machine, const Log& log, AgentParts& parts) {
  if (!machine.images) return;
  parts.images = std::make_unique<ImageCollector>(
      ImageCollectorSettings{.policy = config.image_gc,
                             .others_pull = config.source == SourceKind::kKubernetes},
      ImageCollectorDependencies{
          .clock = machine.clock,
          .images = *machine.images,
          .figures = *parts.figures,
          .events = *parts.events,
          .log = log,
          .needed = [&parts, source = config.source] { return NeededImages(source, parts); }});
}

std::unique_ptr<LastingReclaimer> ReclaimerFor(const AgentConfig& config, Machine& machine,
                                               AgentParts& parts) {
  ReclaimerDependencies dependencies{
      .clock = machine.clock, .figures = *parts.figures, .images = nullptr};
  if (config.dry_run) return std::make_unique<Reclaimer>(std::move(dependencies));
  dependencies.images = parts.images.get();
  dependencies.delete_dead_containers = [&parts] {
    return parts.pods->ForgetDeadContainers(ForgetOf::kEndedPodsToo);
  };
  dependencies.is_removing = [&machine, &parts] {
    return parts.pods->AnyIsBeingRemoved(machine.clock.Now()) ||
           machine.runtime->RemovingContainers();
  };
  return std::make_unique<Reclaimer>(std::move(dependencies));
}

std::unique_ptr<ClusterSide> ClusterFor(const AgentConfig& config, Machine& machine, const Log& log,
                                        AgentParts& parts) {
  if (!machine.cluster) return nullptr;
  return std::make_unique<ClusterSide>(
      ClusterSideDependencies{
          .access = {.cluster = *machine.cluster, .clock = machine.clock, .log = log},
          .groups = machine.pod_groups(),
          .name_of_pod = [&parts](std::string_view uid) { return parts.pods->NameOfPod(uid); },
          .group_of_pod = [&machine](const std::string& uid) -> std::string {
            const auto& groups = machine.runtime->ForeignGroupsOf(uid);
            return groups.size() == 1 ? groups.front() : std::string();
          },
          .pids_limit = config.pod_pids_limit,
          .on_given_up = [&machine](const std::string& uid) { machine.cluster->GivenUp(uid); },
          .take_held = [&machine] { return machine.cluster->TakeHeld(); },
          .end_pod =
              [&machine, &parts](const EvictionOrder& order) {
                return parts.pods->Evict(order, machine.clock.Now()).has_value();
              },
          .dry_run = config.dry_run},
      config.node_name);
}

std::unique_ptr<ShadowWatch> ShadowFor(const AgentConfig& config, Machine& machine) {
  if (!machine.cluster || !config.dry_run) return nullptr;
  auto shadow = std::make_unique<ShadowWatch>(machine.clock);
  machine.cluster->FollowToo(
      {.on_pod = [&watch = *shadow, &link = *machine.cluster](
                     const kube::ApiPod& pod) { watch.TakePod(pod, link.state().has_listed); },
       .on_gone = [&watch = *shadow](const kube::ObjectHead& head) { watch.TakeGone(head); }});
  return shadow;
}

std::vector<NodeListener*> ListenersOf(AgentParts& parts) {
  std::vector<NodeListener*> listeners = {parts.hooks.get()};
  if (parts.cluster) listeners.insert(listeners.begin(), parts.cluster.get());
  return listeners;
}

// A dry run evicts no pod, so it does not ask the API server either.
void BuildSoftEvictions(const AgentConfig& config, Machine& machine, const Log& log,
                        AgentParts& parts) {
  if (!parts.cluster || config.dry_run) return;
  parts.soft_evictions = std::make_unique<ClusterSoftEvictions>(
      ClusterSoftEvictionDependencies{
          .access = {.cluster = *machine.cluster, .clock = machine.clock, .log = log},
          .events = *parts.events,
          .name_of_pod = [&parts](std::string_view uid) { return parts.pods->NameOfPod(uid); },
          .kills_at_once = [&parts](std::string_view uid) { return parts.pods->KillsAtOnce(uid); }},
      kube::SoftEvictionLimits{.per_hour = config.kubernetes.soft_evictions_per_hour,
                               .cool_down = config.kubernetes.soft_eviction_cool_down});
}

NodeDependencies DependenciesOf(Machine& machine, const Log& log, AgentParts& parts) {
  return {
      .clock = machine.clock,
      .figures = *parts.figures,
      .disk_walks = *parts.disk_walks,
      .pods = *parts.pods,
      .reclaimer = *parts.reclaimer,
      .events = *parts.events,
      .log = log,
      .arm = [&parts](std::vector<MemoryLevel> levels) { parts.memory->Arm(std::move(levels)); },
      .sweep_groups =
          [&parts] {
            if (!parts.listed || !parts.orphan_groups) return;
            parts.orphan_groups->Sweep(
                [&parts](std::string_view uid) { return parts.pods->IsOnNode(uid); },
                parts.pods->AnyForeign());
          },
      .on_full_pass =
          [&machine, &parts] {
            if (parts.follow_capacity) parts.follow_capacity();
            machine.limits->StandBy(machine.pod_groups(), parts.qos_groups->limits());
            machine.limits->Check();
          },
      .on_pass =
          [&parts](const std::shared_ptr<const RecordedPass>& pass) {
            if (parts.recorder) parts.recorder->Add(pass);
            if (pass->report.evictions.empty()) return;
            parts.evictions->Add(pass);
            if (parts.shadow) parts.shadow->TakePass(*pass);
          },
      .soft = parts.soft_evictions.get(),
      .listeners = ListenersOf(parts)};
}

// Why the agent finds no pods of its node in the cluster; empty: it does, as far as is known.
std::string ClusterProblem(const AgentParts& parts, const Machine& machine) {
  if (!machine.cluster) return {};
  std::string problem = machine.cluster->WhyNeverListed();
  return problem.empty() ? parts.cluster->WhyNodeIsMissing() : problem;
}

}  // namespace

std::unique_ptr<AgentParts> BuildParts(const AgentConfig& config, const AgentOptions& options,
                                       Machine& machine, const NodeIdentity& node, const Log& log) {
  auto built = std::make_unique<AgentParts>();
  AgentParts& parts = *built;
  parts.events = std::make_unique<EventLog>(log, kEventsKept);
  parts.qos_groups = std::make_unique<kernel::QosGroups>(machine.pod_groups(), config.cgroup_driver,
                                                         QosFailureLog(config.runtime, log));
  parts.worker_dependencies = std::make_unique<WorkerDependencies>(WorkerDependencies{
      .runtime = *machine.runtime,
      .events = *parts.events,
      .log = log,
      .memory_capacity_bytes = static_cast<std::uint64_t>(node.capacity.at("memory").Value()),
      .restart_rule = RestartRule(config),
      .limit_settings = LimitSettingsOf(config),
      .qos_groups = parts.qos_groups.get(),
      .dry_run = config.dry_run});
  parts.pods = std::make_unique<PodTable>(config.profile, ComeBackRule(config),
                                          *parts.worker_dependencies, node.allocatable);
  parts.figures =
      std::make_unique<StatsCollector>(FigureSources{.node = *machine.node_groups,
                                                     .pods = machine.pod_groups(),
                                                     .procfs = *machine.procfs,
                                                     .whole_machine = config.node_cgroup.empty(),
                                                     .memory_estimator = config.memory_estimator,
                                                     .node_fs = config.node_fs,
                                                     .runtime = machine.runtime.get(),
                                                     .group_names = GroupNamesOf(config),
                                                     .reserved_from_pods = ReservedFromPods(config),
                                                     .thresholds = config.eviction.thresholds},
                                       machine.clock, log);
  parts.disk_walks = std::make_unique<DiskWalkThread>(
      *machine.runtime, std::make_shared<SteadyClock>(machine.clock),
      DeletedFileSources{
          .groups = machine.shared_pod_groups(),
          .groups_of = [figures = parts.figures.get()](const PodFacts& facts)
              -> const std::vector<std::string>& { return figures->GroupsOf(facts); },
          .node_fs = config.node_fs});
  parts.memory = std::make_unique<MemoryWatch>(
      WatchedGroups{.node = *machine.node_groups,
                    .pods = machine.pod_groups(),
                    .pods_group = kernel::PodsGroup(GroupNamesOf(config)),
                    .whole_machine = config.node_cgroup.empty(),
                    .levels_of_usage = machine.cgroup_version == CgroupVersion::kV1},
      log);
  parts.hooks = std::make_unique<Hooks>(
      config.hooks, config.node_name, config.dry_run,
      [&parts](std::string_view uid) { return parts.pods->NameOfPod(uid); });
  parts.cluster = ClusterFor(config, machine, log, parts);
  parts.shadow = ShadowFor(config, machine);
  BuildSoftEvictions(config, machine, log, parts);
  parts.worker_dependencies->soft = parts.soft_evictions.get();
  if (config.source == SourceKind::kManifests) {
    parts.orphan_groups =
        std::make_unique<OrphanGroups>(machine.pod_groups(), config.cgroup_driver, log);
  }
  BuildImages(config, machine, log, parts);
  parts.reclaimer = ReclaimerFor(config, machine, parts);
  parts.evictions = std::make_unique<EvictionHistory>(ExplainOptions{
      .dry_run = config.dry_run, .memory_estimator = config.memory_estimator, .order_limit = 50});
  if (config.recording.enabled) {
    parts.recorder = std::make_shared<Recorder>(
        config.root + "/recording", config.recording,
        RecordingAbout{.at = machine.clock.Now(),
                       .node = config.node_name,
                       .maker = "jettison " JETTISON_VERSION,
                       .profile = config.profile,
                       .settings = RecordedSettings{config.monitoring_interval,
                                                    config.eviction_backoff.initial,
                                                    config.eviction_backoff.max}});
  }
  parts.node = std::make_unique<Node>(SettingsOf(config, options, LayoutAtStart(machine)),
                                      DependenciesOf(machine, log, parts));
  parts.state = std::make_shared<StateFile>(config.root + "/node-state", LastingClock(), log);
  return built;
}

Snapshot ShownOf(const AgentParts& parts, const Machine& machine, const Log& log) {
  Snapshot snapshot = parts.node->MakeSnapshot();
  snapshot.counters = std::make_shared<const NodeCounters>(
      NodeCounters{.passes = parts.node->counters(),
                   .pods = parts.worker_dependencies->counters,
                   .images = parts.images ? parts.images->counters() : ImageCounters{},
                   .walks = parts.walks,
                   .container_bytes = parts.reclaimer->ContainerBytes(),
                   .runtime_unready = parts.runtime_unready,
                   .log_lines_lost = log.lost()});
  snapshot.recording = parts.recorder;
  snapshot.evictions = parts.evictions->Evictions();
  if (parts.shadow) snapshot.shadow = parts.shadow->View(snapshot.at);
  if (parts.cluster && !parts.shadow) {
    snapshot.cluster = {.evictions_under_way = parts.cluster->evictions_under_way(),
                        .events_dropped = parts.cluster->events_dropped()};
  }
  snapshot.awaits_runtime = !parts.listed;
  snapshot.cluster_error = ClusterProblem(parts, machine);
  snapshot.state_error = parts.state->problem();
  snapshot.limits_error = machine.limits->Unset();
  snapshot.not_guarded = machine.runtime->NotGuarded();
  return snapshot;
}

}  // namespace jettison
