#include "agent/node_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <utility>

#include "agent/agent_parts.h"
#include "agent/pods/pod_groups.h"
#include "core/recording/recording.h"
#include "core/thresholds/threshold_settings.h"
#include "core/units/duration.h"
#include "machine/cgroups/host_cgroups.h"
#include "machine/loop/job_queue.h"
#include "machine/loop/own_process.h"

namespace jettison {
namespace {

constexpr Duration kTryAgainAfter = std::chrono::milliseconds(500);
constexpr Duration kSuspendWorthSaying = std::chrono::seconds(1);
constexpr Duration kCareEvery = std::chrono::seconds(10);

}  // namespace

NodeAgent::NodeAgent(const AgentConfig& config, AgentOptions options, std::unique_ptr<Log> log,
                     std::unique_ptr<Machine> machine, const NodeIdentity& node)
    : options_(std::move(options)),
      log_(std::move(log)),
      machine_(std::move(machine)),
      config_(config, node, options_.config, *log_),
      parts_(BuildParts(config_.config(), options_, *machine_, node, *log_)),
      manifests_(machine_->manifests.get(),
                 {.path = config.static_pod_path,
                  .rescan_every = config.file_check_frequency,
                  .profile = config.profile},
                 machine_->clock, *log_) {
  parts_->memory->Notify({.crossed = [this] { parts_->node->Look(Node::Wakeup::kMemoryLevel); },
                          .stalled = [this] { parts_->node->Look(Node::Wakeup::kStall); }});
  parts_->manifests_are_read = [this] { return manifests_.IsComplete(machine_->clock.Now()); };
  parts_->follow_capacity = [this] { FollowCapacity(); };
  if (!machine_->images) return;
  image_places_.emplace(*machine_->images, machine_->clock, *log_,
                        [this](const StorageFolders& folders) { SurveyFileSystems(folders); });
}

Result<void> NodeAgent::WatchAll() {
  auto loop = EventLoop::Make();
  if (!loop) return Fail(loop.error());
  loop_ = std::move(*loop);
  if (options_.handle_signals) {
    const auto taken = loop_->OnSignals({SIGTERM, SIGINT}, [this] { Stop(); });
    if (!taken) return Fail(taken.error());
    const auto hangup = loop_->OnSignals({SIGHUP}, [this] { AskForConfig(); });
    if (!hangup) return Fail(hangup.error());
  }
  Result<void> watched;
  const auto watch = [&](int fd, EventLoop::Callback callback) {
    if (watched) watched = loop_->Watch(fd, std::move(callback));
  };
  watch(machine_->runtime->EventFd(), [this] { TakeRuntimeEvents(); });
  watch(parts_->disk_walks->fd(), [this] { TakeDiskUse(); });
  watch(parts_->memory->fd(), [this] { parts_->memory->TakeLevels(*loop_); });
  watch(stop_asked_.get(), [this] { TakeStop(); });
  watch(parts_->hooks->fd(), [this] { parts_->hooks->LogFailures(*log_); });
  if (parts_->recorder) {
    watch(parts_->recorder->fd(), [this] { parts_->recorder->LogComplaints(*log_); });
  }
  watch(config_.fd(), [this] { TakeConfig(); });
  watch(parts_->state->fd(), [this] { parts_->state->LogNews(); });
  if (options_.board) watch(options_.board->fd(), [this] { TakeFromBoard(); });
  if (machine_->manifests) {
    watch(manifests_.fd(), [this] { Want(manifests_.Take(machine_->clock.Now())); });
  }
  return watched;
}

Result<void> NodeAgent::Run() {
  if (const auto watched = WatchAll(); !watched) return Fail(watched.error());
  const auto raised = RaiseThreadPriority(ThreadUrgency::kLoop);
  if (!raised) {
    log_->Info("the agent runs with ordinary priority", {{"err", raised.error().message}});
  } else if (*raised == ThreadPriority::kNice) {
    log_->Debug("the agent runs at nice -20, which counts within its own group alone");
  }
  TakeUpState();
  TryRuntime();
  if (refusal_) return Fail(*refusal_);
  AfterEachTurn();
  auto result = loop_->Run([this] { AfterEachTurn(); }, [this] { LookForSuspend(); });
  service_.Stopping();
  if (begun_) parts_->state->Finish(State(machine_->clock.Now()));
  if (parts_->recorder) parts_->recorder->Finish();
  log_->Info("agent stopped");
  parts_->memory->End();
  loop_.reset();
  if (refusal_) return Fail(*refusal_);
  return result;
}

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
  parts_->pods->Recall(std::move(recalled), now);
  Guard();
}

void NodeAgent::Begin(std::vector<RuntimePod> pods) {
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
  config_.ForgetCapacities();
  parts_->node->SetLayout(layout, ThresholdsFor(config_.config().eviction.thresholds, layout));
}

void NodeAgent::Work(const std::vector<Pod>& own) {
  Guard();
  manifests_.Begin(own);
  if (!machine_->manifests) Want(manifests_.Wanted());
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
  parts_->memory->WatchAlarms(*loop_, config_.config().eviction.thresholds);
}

void NodeAgent::TakeRuntimeEvents() {
  const Instant now = machine_->clock.Now();
  bool found_own = false;
  bool found_others = false;
  for (const RuntimeEvent& event : machine_->runtime->TakeEvents()) {
    if (const auto* found = std::get_if<PodFound>(&event)) {
      (found->pod.foreign ? found_others : found_own) = true;
      if (!found->pod.foreign) manifests_.AdoptLate(found->pod.pod, now);
    }
    const auto* exited = std::get_if<ContainerExited>(&event);
    if (exited != nullptr && exited->exit.oom_killed && parts_->recorder) {
      parts_->recorder->Add(RecordedOomKill{
          .at = exited->exit.finished, .pod_uid = exited->pod_uid, .container = exited->container});
    }
    parts_->pods->Handle(event, now);
  }
  if (found_others && parts_->cluster) parts_->cluster->ContinueEvictions(now);
  // The pod that was found may not be wanted any more. Before the manifests have been read, nobody
  // knows which are.
  if (found_own && manifests_.HasLooked()) Want(manifests_.Wanted());
}

void NodeAgent::Want(std::optional<std::vector<SharedPodFacts>> pods) {
  if (pods && !stopping_pods_) parts_->pods->SetWanted(std::move(*pods), machine_->clock.Now());
}

void NodeAgent::TakeDiskUse() {
  const auto result = parts_->disk_walks->TakeResult();
  for (const std::string& note : parts_->disk_walks->TakeNotes()) {
    log_->Info("disk use", {{"note", note}});
  }
  if (!result) return;
  const WalkCost& cost = parts_->disk_walks->cost();
  parts_->walks.duration.Observe(cost.took);
  parts_->walks.directories += cost.directories;
  parts_->walks.trees += cost.trees;
  parts_->node->DiskMeasured(*result);
}

void NodeAgent::AskForConfig() {
  if (config_.Ask() && ready_) service_.Reloading();
}

void NodeAgent::TakeConfig() {
  const auto taken = config_.Take();
  if (!taken) return;
  if (!taken->faulty) {
    UseConfig(*taken);
    if (options_.on_config) options_.on_config(config_.config());
  }
  if (!taken->Has("eviction")) parts_->node->LookAtOnce();  // otherwise it has looked
  if (ready_) service_.Ready();
}

void NodeAgent::UseConfig(const ConfigInForce::Taken& taken) {
  const AgentConfig& config = config_.config();
  log_->SetLeast(config.log_level);
  if (taken.Has("hooks")) parts_->hooks->Replace(config.hooks);
  if (taken.Has("eviction")) {
    parts_->pods->SetAllocatable(config_.node()->allocatable);
    parts_->figures->SetThresholds(config.eviction.thresholds);
    if (begun_) WatchAlarms();
    parts_->node->SetEviction(config.eviction);
  }
}

void NodeAgent::TakeStop() {
  eventfd_t count = 0;
  if (::eventfd_read(stop_asked_.get(), &count) != 0) return;
  if (!options_.stop_pods || !parts_->listed) {
    quits_ = true;
    return;
  }
  if (!stopping_pods_) log_->Info("ending every pod before the agent stops");
  stopping_pods_ = true;
  parts_->pods->StopAll(machine_->clock.Now());
}

bool NodeAgent::IsOver() const {
  return quits_ || (stopping_pods_ && !parts_->pods->AnyOnNode());
}

void NodeAgent::LookForSuspend() {
  const Duration now_slept = SteadyClock::Slept();
  const Duration slept = now_slept - std::exchange(slept_, now_slept);
  if (slept < kSuspendWorthSaying) return;
  log_->Info("the machine was suspended", {{"for", FormatDuration(slept)}});
  parts_->node->Slept(slept);
}

void NodeAgent::SeeToThreads(Instant now) {
  if (next_care_ && now < *next_care_) return;
  next_care_ = now + kCareEvery;
  const std::vector<MissingThread> missing = CareForThreads();
  const std::size_t before = std::exchange(missing_threads_, missing.size());
  if (before > 0 && missing.empty()) log_->Info("all threads have been started");
  if (missing.size() <= before) return;
  for (const MissingThread& each : missing) {
    log_->Warn("a thread cannot be started; the agent goes on without it and tries again",
               {{"thread", each.name},
                {"err", each.error.message},
                {"mend", "raise pids.max of the agent's group (TasksMax= of its unit)"}});
  }
}

void NodeAgent::AfterEachTurn() {
  LookForSuspend();
  const Instant now = machine_->clock.Now();
  AdvanceAll(now);
  SaveState(now);
  NotifyServiceManager(now);
  if (refusal_ || (IsOver() && (!parts_->cluster || parts_->cluster->Stop(now)))) loop_->Quit();
  if (options_.observer && begun_) options_.observer(parts_->node->MakeSnapshot());
  if (options_.board) ShowOnBoard(now);
  const auto deadline = NextDeadline();
  loop_->SetTimer(deadline ? std::optional(*deadline - machine_->clock.Now()) : std::nullopt);
}

void NodeAgent::AdvanceAll(Instant now) {
  if (next_try_ && *next_try_ <= now) TryRuntime();
  if (image_places_) image_places_->Advance(now);
  if (parts_->cluster) ReportToCluster(now);
  if (parts_->shadow) parts_->shadow->Advance(now);
  if (begun_) {
    parts_->disk_walks->Advance(now);
    parts_->node->Advance();
    Want(manifests_.Advance(now));
  }
  config_.Advance(now);
  const Observations* const seen = parts_->node->seen();
  if (seen != nullptr && parts_->node->KnowsLayout()) config_.Learn(*seen);
  SeeToThreads(now);
}

void NodeAgent::FollowCapacity() {
  const auto memory = parts_->figures->ReadMemoryCapacity();
  if (!memory || !config_.TakeMemory(*memory)) return;
  log_->Info("the memory of the node has changed", {{"capacity", fmt::to_string(*memory)}});
  LimitPods(config_.config(), config_.node()->capacity, *machine_);
  parts_->pods->SetAllocatable(config_.node()->allocatable);
}

void NodeAgent::ReportToCluster(Instant now) {
  const Node& node = *parts_->node;
  if (node.passes() > 0) parts_->cluster->SetConditions(node.state().conditions, now);
  parts_->cluster->ReportEvents(*parts_->events, now);
  parts_->cluster->Advance(now);
}

void NodeAgent::NotifyServiceManager(Instant now) {
  if (service_.alive_every() && (!next_alive_ || *next_alive_ <= now)) {
    service_.Alive();
    next_alive_ = now + *service_.alive_every();
  }
  if (ready_ || parts_->node->passes() == 0) return;
  ready_ = true;
  service_.Ready();
  log_->Info("agent is ready",
             {{"root", config_.config().root}, {"nodeCgroup", config_.config().node_cgroup}});
}

void NodeAgent::TakeFromBoard() {
  snapshot_asked_ = options_.board->TakeAsked() || snapshot_asked_;
  for (const BoardNote& note : options_.board->TakeNotes()) {
    const LogField field{note.key, note.value};
    note.level == LogLevel::kWarning ? log_->Warn(note.message, {field})
                                     : log_->Info(note.message, {field});
  }
}

void NodeAgent::ShowOnBoard(Instant now) {
  Board& board = *options_.board;
  board.Turned(now);
  if (!begun_) return;
  if (std::exchange(snapshot_asked_, false)) {
    Snapshot snapshot = ShownOf(*parts_, *machine_, *log_);
    snapshot.node = config_.node();
    snapshot.manifest_error = manifests_.Problem();
    board.Put(std::make_shared<const Snapshot>(std::move(snapshot)));
  }
  const std::uint64_t passes = parts_->node->passes();
  if (shown_passes_ == passes && shown_events_ == parts_->events->count()) return;
  shown_passes_ = passes;
  shown_events_ = parts_->events->count();
  board.TellNews();
}

std::optional<Instant> NodeAgent::NextDeadline() const {
  const StateChanges changes = Changes();
  return Earliest({begun_ ? parts_->node->NextDeadline() : std::nullopt,
                   parts_->disk_walks->NextDeadline(), next_try_,
                   image_places_ ? image_places_->NextDeadline() : std::nullopt,
                   manifests_.NextDeadline(), config_.NextDeadline(), next_care_, next_alive_,
                   parts_->cluster ? parts_->cluster->NextDeadline() : std::nullopt,
                   parts_->shadow ? parts_->shadow->NextDeadline() : std::nullopt,
                   begun_ ? parts_->state->NextDeadline(changes) : std::nullopt});
}

}  // namespace jettison
