// How the agent begins, with what an earlier one has left and with a runtime that may not answer,
// and what it leaves for the next one.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "agent/node_agent.h"
#include "agent/plans/pod_plans.h"
#include "agent/pods/pod_places.h"
#include "core/thresholds/threshold_settings.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "machine/cgroups/host_cgroups.h"

namespace jettison {
namespace {

constexpr Duration kTryAgainAfter = std::chrono::milliseconds(500);

}  // namespace

// Must be called before any pod is taken over from the runtime or from the agent's own records.
void NodeAgent::TakeUpState() {
  AgentState state = parts_->state->Load();
  if (parts_->images) parts_->images->Resume(std::move(state.images));
  if (parts_->cluster) parts_->cluster->Resume(std::move(state.cluster_evictions));
  if (config_.config().dry_run) {
    state.node.thresholds.clear();  // nobody acts for them meanwhile
    of_others_ = std::move(state);
    return;
  }
  parts_->pods->Remember(std::move(state.pods));
  saved_node_ = std::move(state.node);
  if (parts_->soft_evictions) parts_->soft_evictions->Resume(state.soft, machine_->clock.Now());
}

// A dry run evicts no pod: what is saved of those that another agent evicted stays as it is.
AgentState NodeAgent::State(Instant now) const {
  AgentState state = of_others_;
  if (!config_.config().dry_run) {
    const auto* const soft = parts_->soft_evictions.get();
    state = {.node = parts_->node->Saved(),
             .pods = parts_->pods->Saved(now),
             .soft = soft != nullptr ? soft->SoFar(now) : SoftEvictionsSoFar{},
             .cluster_evictions = {},
             .images = {}};
  }
  if (parts_->cluster) state.cluster_evictions = parts_->cluster->Unfinished();
  if (parts_->images) state.images = parts_->images->images();
  return state;
}

StateChanges NodeAgent::Changes() const {
  StateChanges changes = parts_->pods->changes();
  changes.all += parts_->node->changes();
  if (parts_->soft_evictions) changes.all += parts_->soft_evictions->changes();
  if (parts_->images) changes.all += parts_->images->changes();
  if (parts_->cluster) {
    const StateChanges in_cluster = parts_->cluster->changes();
    changes.all += in_cluster.all;
    changes.evictions += in_cluster.evictions;
  }
  return changes;
}

void NodeAgent::SaveState(Instant now) {
  const StateChanges changes = Changes();
  if (begun_ && parts_->state->Due(changes, now)) parts_->state->Save(State(now), changes, now);
}

void NodeAgent::Guard() {
  if (std::exchange(begun_, true)) return;
  parts_->node->Resume(std::exchange(saved_node_, {}));
  parts_->node->Begin();
  WatchAlarms();
}

void NodeAgent::TryRuntime() {
  next_try_.reset();
  auto pods = machine_->runtime->List();
  if (!pods) return GoOnWithoutRuntime(pods.error());
  Begin(std::move(*pods));
}

void NodeAgent::GoOnWithoutRuntime(const Error& error) {
  const Instant now = machine_->clock.Now();
  next_try_ = now + kTryAgainAfter;
  if (++parts_->runtime_unready > 1) return;
  log_->Warn("container runtime is not ready, the agent waits for it", {{"err", error.message}});
  auto recalled = machine_->runtime->Recall();
  log_->Info(
      "the agent guards the node without the container runtime; no container is started before it "
      "answers",
      {{"pods", fmt::to_string(recalled.size())}});
  ShareCpuWith(recalled);
  parts_->pods->Recall(std::move(recalled), now);
  Guard();
}

void NodeAgent::ShareCpuWith(const std::vector<RuntimePod>& pods) {
  std::vector<PodPlan> plans;
  for (const RuntimePod& pod : pods) {
    if (pod.foreign) continue;
    plans.push_back(
        PlanOf(std::make_shared<const Pod>(pod.pod), parts_->worker_dependencies->limit_settings));
  }
  std::vector<const PodPlan*> own;
  for (const PodPlan& plan : plans) own.push_back(&plan);
  parts_->qos_groups->Add(own);
}

void NodeAgent::Begin(std::vector<RuntimePod> pods) {
  ShareCpuWith(pods);
  const AgentConfig& config = config_.config();
  const auto placed = CheckPlaces(pods, {.groups = machine_->pod_groups(),
                                         .driver = config.cgroup_driver,
                                         .prefix = PodsRootOf(config)});
  if (!placed) {
    refusal_ = placed.error();
    return loop_->Quit();
  }
  parts_->listed = true;
  const Instant now = machine_->clock.Now();
  parts_->pods->SetAdoptPolicy(config.adopt);
  std::vector<Pod> own;
  for (const RuntimePod& pod : pods) {
    if (!pod.foreign) own.push_back(pod.pod);
  }
  parts_->pods->Adopt(std::move(pods), now);
  if (parts_->cluster) parts_->cluster->ContinueEvictions(now);
  if (!image_places_) return Work(own);
  // For thresholds on imagefs, the time until the layout is known does not count as time met.
  image_places_->Ask(
      [this, own] {
        if (!parts_->node->KnowsLayout()) SetLayout({});
        Work(own);
      },
      [this] { Guard(); });
}

void NodeAgent::SetLayout(DiskLayout layout) {
  parts_->node->SetLayout(layout, ThresholdsFor(config_.config().eviction.thresholds, layout));
}

void NodeAgent::Work(const std::vector<Pod>& own) {
  Guard();
  manifests_.Begin(own);
  if (!machine_->manifests) WantManifests(machine_->clock.Now());
}

void NodeAgent::SurveyFileSystems(const StorageFolders& folders) {
  const AgentConfig& config = config_.config();
  DiskSurvey survey = SurveyDisks({.node = config.node_fs.empty() ? config.root : config.node_fs,
                                   .images = folders.images,
                                   .containers = folders.containers});
  if (survey == survey_) return;
  LogSurvey(survey, *log_);
  parts_->figures->SetDisks(survey.image_fs, survey.container_fs);
  SetLayout(survey.layout);
  survey_ = std::move(survey);
}

// Alarms need the pods' group, which exists by now.
void NodeAgent::WatchAlarms() {
  const AgentConfig& config = config_.config();
  const std::string pods = kernel::PodsGroup(GroupNamesOf(config));
  parts_->memory->WatchAlarms(
      *loop_, {.machine_pressure = config.node_cgroup.empty() ? "/proc/pressure" : "",
               .node_pressure = [this] { return machine_->node_groups->OpenPressureDirectory(""); },
               .pods_pressure = [&] { return machine_->pod_groups().OpenPressureDirectory(pods); },
               .thresholds = config.eviction.thresholds});
}

}  // namespace jettison
