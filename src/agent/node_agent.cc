#include "agent/node_agent.h"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "agent/disk_layout.h"
#include "agent/disk_projects.h"
#include "agent/pod_places.h"
#include "agent/thread_priority.h"
#include "config/containerfs_thresholds.h"
#include "pod_host/cgroup_layout.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kFirstTryDelay = milliseconds(100);
constexpr Duration kMaxTryDelay = seconds(1);
// How long a wanted end waits for calls that make something.
constexpr Duration kMakingPatience = seconds(5);
// A manifest folder that does not exist yet cannot be watched, and a file that could not be read is
// not told again; they are looked for this often.
constexpr Duration kUnsettledRescan = seconds(1);

}  // namespace

void NodeAgent::Stop() {
  stop_asked_ = true;
  eventfd_write(stop_.get(), 1);
}

Result<void> NodeAgent::WatchAll() {
  auto loop = EventLoop::Make();
  if (!loop) return Fail(loop.error());
  loop_ = std::move(*loop);
  loop_->OnTimer([] {});  // what is due is done after each turn
  if (options_.handle_signals) {
    const auto taken = loop_->OnSignals({SIGTERM, SIGINT}, [this] { Stop(); });
    if (!taken) return Fail(taken.error());
    const auto hangup = loop_->OnSignals({SIGHUP}, [this] { AskForConfig(); });
    if (!hangup) return Fail(hangup.error());
  }
  Attend(machine_->runtime->EventFd(), [this] { TakeRuntimeEvents(); });
  Attend(disk_walks_.fd(), [this] { TakeDiskUse(); });
  Attend(arming_.fd(), [this] { TakeArmedLevels(); });
  Attend(stop_.get(), [this] { TakeStop(); });
  Attend(hooks_.fd(), [this] { hooks_.LogFailures(*log_); });
  Attend(status_file_.fd(), [this] { TakeStatusErrors(); });
  Attend(evictions_.fd(), [this] { evictions_.LogComplaints(); });
  Attend(readings_->fd(), [this] { TakeConfig(); });
  Attend(keeper_.fd(), [this] { keeper_.LogComplaints(); });
  if (options_.board) {
    // Answered after the turn, as everything that is due.
    Attend(options_.board->fd(),
           [this] { board_asked_ = options_.board->TakeAsked() || board_asked_; });
  }
  if (machine_->manifests) Attend(machine_->manifests->fd(), [this] { TakeManifests(); });
  return {};
}

Result<void> NodeAgent::Run() {
  if (const auto watched = WatchAll(); !watched) return Fail(watched.error());
  if (const auto raised = RaiseThreadPriority(); !raised) {
    log_->Info("the agent runs with ordinary priority", {{"err", raised.error().message}});
  }
  TakeUpKept();
  TryRuntime();
  if (refusal_) return Fail(*refusal_);
  AfterEachTurn();
  auto result = loop_->Run([this] { AfterEachTurn(); });
  service_.Stopping();
  if (begun_) keeper_.Finish(Kept(machine_->clock.Now()));
  log_->Info("agent stopped");
  levels_.clear();
  loop_.reset();
  alarms_ = {};
  if (refusal_) return Fail(*refusal_);
  return result;
}

// Before any pod is taken over, whoever tells of it.
void NodeAgent::TakeUpKept() {
  KeptState kept = keeper_.Load();
  pods_.Remember(std::move(kept.pods));
  kept_node_ = std::move(kept.node);
}

// Where the runtime does not answer, what can be known without it is guarded at once. (The kubelet
// begins when it answers: updateRuntimeUp.)
void NodeAgent::TryRuntime() {
  next_try_.reset();
  auto pods = machine_->runtime->Ready().and_then([this] { return machine_->runtime->List(); });
  if (pods) {
    if (const auto placed = CheckPlacesOf(*pods); !placed) {
      refusal_ = placed.error();
      loop_->Quit();
      return;
    }
    Begin(std::move(*pods));
    return;
  }
  ++runtime_unready_;
  if (!said_unready_) {
    log_->Warn("container runtime is not ready, waiting for it", {{"err", pods.error().message}});
    said_unready_ = true;
  }
  if (!begun_) {
    auto recalled = machine_->runtime->Recall();
    log_->Info(
        "guarding the node without the container runtime; nothing is started before it answers",
        {{"pods", fmt::to_string(recalled.size())}});
    pods_.Recall(std::move(recalled), machine_->clock.Now());
    BeginGuard();
  }
  try_delay_ = std::clamp(2 * try_delay_, kFirstTryDelay, kMaxTryDelay);
  next_try_ = machine_->clock.Now() + try_delay_;
}

Result<void> NodeAgent::CheckPlacesOf(const std::vector<RuntimePod>& pods) const {
  return CheckPlaces(pods, {.groups = machine_->pod_groups(),
                            .driver = config_.cgroup_driver,
                            .prefix = config_.node_cgroup + config_.cgroup_root});
}

void NodeAgent::BeginGuard() {
  begun_ = true;
  node_.Resume(std::exchange(kept_node_, {}));
  node_.Begin();
  WatchAlarms();
}

void NodeAgent::Begin(std::vector<RuntimePod> pods) {
  listed_ = true;
  const Instant now = machine_->clock.Now();
  pods_.SetAdoptPolicy(config_.adopt);
  std::vector<Pod> own;
  for (const RuntimePod& pod : pods) {
    if (!pod.foreign) own.push_back(pod.pod);
  }
  pods_.Adopt(std::move(pods), now);
  SurveyFileSystems();
  if (!begun_) BeginGuard();
  if (machine_->manifests) {
    machine_->manifests->Expect(manifest_pods_.Adopt(own));
    RescanManifests();
  } else {
    pods_.SetWanted({}, now);
  }
}

// Only a runtime that answers can say where its images are.
void NodeAgent::SurveyFileSystems() {
  if (!machine_->images) return;
  const auto folders = machine_->images->Folders();
  if (!folders) {
    log_->Warn("the file system of the images is not known and counts as nodefs",
               {{"err", folders.error().message}});
    return;
  }
  const DiskSurvey survey =
      SurveyDisks({.node = config_.node_fs.empty() ? config_.root : config_.node_fs,
                   .images = folders->images,
                   .containers = folders->containers});
  LogSurvey(survey, *log_);
  figures_.SetDisks(survey.image_fs, survey.container_fs);
  node_.SetLayout(survey.layout, ThresholdsFor(config_.eviction.thresholds, survey.layout));
}

void NodeAgent::TakeRuntimeEvents() {
  LookAtClocks();
  const Instant now = machine_->clock.Now();
  bool found_own = false;
  for (const RuntimeEvent& event : machine_->runtime->TakeEvents()) {
    if (const auto* found = std::get_if<PodFound>(&event); found && !found->pod.foreign) {
      manifest_pods_.AdoptLate(found->pod.pod, now);
      found_own = true;
    }
    // Its volumes stand and are empty; its containers start when the event is handled.
    if (const auto* ready = std::get_if<PodReady>(&event)) CountDiskUseOf(ready->pod_uid);
    pods_.Handle(event, now);
  }
  // It may not be wanted any more.
  if (found_own && !stopping_) pods_.SetWanted(manifest_pods_.Wanted(), now);
}

void NodeAgent::CountDiskUseOf(const std::string& pod_uid) {
  for (const PodFacts* facts : pods_.Active()) {
    if (facts->pod.uid == pod_uid) AssignProjects(machine_->runtime->DiskOf(facts->pod));
  }
}

void NodeAgent::TakeManifests() {
  const Instant now = machine_->clock.Now();
  bool told = false;
  for (ManifestScan& scan : machine_->manifests->TakeScans()) {
    manifests_watched_ = std::move(scan.watched);
    // A folder that cannot be read is no folder without pods: those that run go on.
    told = told || scan.whole || !scan.news.empty();
    manifest_pods_.Apply(std::move(scan.news), now);
    if (scan.whole) manifest_pods_.Settle(scan.began);
  }
  if (!manifests_watched_ && !said_unwatched_) {
    log_->Warn("manifest path cannot be watched, looking again later",
               {{"path", config_.static_pod_path}, {"err", manifests_watched_.error().message}});
  }
  said_unwatched_ = !manifests_watched_;
  if (!manifests_watched_ || manifest_pods_.IsUnsettled()) {
    next_rescan_ = std::min(next_rescan_.value_or(Instant::max()), now + kUnsettledRescan);
  }
  if (told && !stopping_) pods_.SetWanted(manifest_pods_.Wanted(), now);
}

void NodeAgent::RescanManifests() {
  machine_->manifests->Rescan();
  next_rescan_ = machine_->clock.Now() + config_.file_check_frequency;
}

// New levels replace the old ones; usage may have passed one of them while they were registered, so
// it is looked at once.
void NodeAgent::TakeArmedLevels() {
  std::vector<ArmingThread::Armed> results = arming_.TakeResults();
  for (ArmingThread::Armed& armed : results) {
    if (!armed.errors.empty() && !said_unarmed_) {
      log_->Warn("memory notification cannot be had, memory is looked at in each pass only",
                 {{"err", armed.errors.front().message}});
    }
    said_unarmed_ = !armed.errors.empty();
    for (const MemcgThreshold& level : levels_) loop_->Unwatch(level.fd());
    levels_ = std::move(armed.levels);
    bool tells = armed.errors.empty() && !levels_.empty();
    for (MemcgThreshold& level : levels_) {
      const auto watched = loop_->Watch(
          level.fd(),
          [this, &level] {
            if (level.Drain()) node_.MemoryCrossed();
          },
          EventLoop::Urgency::kFirst);
      if (!watched) {
        tells = false;
        log_->Warn("memory notification cannot be waited for, memory is looked at by the clock",
                   {{"err", watched.error().message}});
      }
    }
    node_.SetKernelTells(tells);
  }
  if (!results.empty() && !levels_.empty()) node_.MemoryCrossed();
}

// The pods' group is there by now, which alarms are opened on.
void NodeAgent::WatchAlarms() {
  const std::string_view pods = pod_host::PodsGroup(config_.cgroup_driver);
  for (const int fd : alarms_.fds()) loop_->Unwatch(fd);
  alarms_ = MemoryAlarms::Open(
      {.machine_pressure = config_.node_cgroup.empty() ? "/proc/pressure" : "",
       .node_pressure = [this] { return machine_->node_groups->OpenPressureDirectory(""); },
       .pods_pressure = [&] { return machine_->pod_groups().OpenPressureDirectory(pods); },
       .pods_memory = [&] { return machine_->pod_groups().OpenMemoryDirectory(pods); },
       .thresholds = config_.eviction.thresholds},
      *log_);
  node_.SetStallsAreTold(alarms_.tells_of_stalls());
  for (const int fd : alarms_.fds()) {
    const auto watched = loop_->WatchAlarm(fd, [this, fd](bool error) {
      if (!alarms_.Drain(fd, error)) loop_->Unwatch(fd);
      node_.Stalled();
    });
    if (watched) continue;
    node_.SetStallsAreTold(false);
    log_->Warn("memory pressure wakes nobody, memory is looked at by the clock",
               {{"err", watched.error().message}});
  }
}

// A full pass begins here, which is when limits are looked after.
void NodeAgent::TakeDiskUse() {
  std::vector<DiskUse> results = disk_walks_.TakeResults();
  for (const std::string& note : disk_walks_.TakeNotes()) log_->Info("disk use", {{"note", note}});
  for (const WalkCost& cost : disk_walks_.TakeCosts()) {
    walks_.duration.Observe(cost.took);
    walks_.directories += cost.directories;
    walks_.trees += cost.trees;
  }
  if (results.empty()) return;
  evictions_.Retry();
  machine_->limits->StandBy(machine_->pod_groups(), machine_->runtime->QosLimits());
  machine_->limits->Check();
  node_.DiskMeasured(std::move(results.back()));
}

void NodeAgent::TakeStop() {
  eventfd_t count = 0;
  eventfd_read(stop_.get(), &count);
  if (!stop_asked_.exchange(false)) return;
  if (!options_.stop_pods || !listed_) return EndWhenNothingIsHalfMade();
  if (!stopping_) log_->Info("ending every pod before the agent stops");
  stopping_ = true;
  pods_.StopAll(machine_->clock.Now());
}

// A container that is just being started would be left without a process by some runtimes. The
// guard goes on meanwhile; who asks a second time does not want to wait.
void NodeAgent::EndWhenNothingIsHalfMade() {
  const Instant now = machine_->clock.Now();
  machine_->runtime->Drain();
  if (!machine_->runtime->IsMaking() || quit_at_) return loop_->Quit();
  quit_at_ = now + kMakingPatience;
  log_->Info("waiting for what the container runtime is making",
             {{"atMost", FormatDuration(kMakingPatience)}});
}

// Neither harms: nothing is decided by the wall clock.
void NodeAgent::LookAtClocks() {
  constexpr Duration kWorthSaying = seconds(1);
  const Duration slept = SteadyClock::Slept();
  if (slept - slept_ >= kWorthSaying) {
    node_.Slept(slept - slept_);
    log_->Info("the machine was suspended", {{"for", FormatDuration(slept - slept_)}});
  }
  slept_ = slept;
  const Duration ahead =
      machine_->clock.Wall().time_since_epoch() - machine_->clock.Now().time_since_epoch();
  const Duration step = ahead - std::exchange(wall_ahead_, ahead);
  if (step < kWorthSaying && -step < kWorthSaying) return;
  log_->Info(
      "the wall clock was set; times that the agent shows keep to the old one until it is "
      "started again, times of the log do not",
      {{"by", FormatDuration(step)}});
}

void NodeAgent::AfterEachTurn() {
  LookAtClocks();
  const Instant now = machine_->clock.Now();
  LookByClock(now);
  if (quit_at_ && (*quit_at_ <= now || !machine_->runtime->IsMaking())) loop_->Quit();
  if (next_try_ && *next_try_ <= now) TryRuntime();
  if (begun_) {
    disk_walks_.Advance(now);
    node_.Advance();
    if (next_rescan_ && *next_rescan_ <= now) RescanManifests();
  }
  LookAfterThreads(now);
  if (service_.alive_every() && (!next_alive_ || *next_alive_ <= now)) {
    service_.Alive();
    next_alive_ = now + *service_.alive_every();
  }
  if (!ready_ && node_.passes() > 0) {
    ready_ = true;
    service_.Ready();
    log_->Info("agent is ready", {{"root", config_.root}, {"nodeCgroup", config_.node_cgroup}});
  }
  if (refusal_ || (stopping_ && !pods_.AnyOnNode())) loop_->Quit();
  if (options_.observer && begun_) options_.observer(node_.MakeSnapshot());
  if (node_.passes() > 0 && status_file_.Due(node_.state().conditions, now)) {
    status_file_.Write(SnapshotNow(), now);
  }
  KeepState(now);
  if (options_.board) ShowBoard(now);
  const auto deadline = NextDeadline();
  loop_->SetTimer(deadline ? std::optional(*deadline - machine_->clock.Now()) : std::nullopt);
}

KeptState NodeAgent::Kept(Instant now) const {
  return {.node = node_.Kept(), .pods = pods_.Kept(now)};
}

void NodeAgent::KeepState(Instant now) {
  const std::uint64_t changes = pods_.changes() + node_.changes();
  if (begun_ && keeper_.Due(changes, now)) keeper_.Save(Kept(now), changes, now);
}

std::optional<Instant> NodeAgent::NextDeadline() const {
  std::optional<Instant> next;
  for (const auto& at :
       {begun_ ? node_.NextDeadline() : std::nullopt, disk_walks_.NextDeadline(), next_try_,
        next_rescan_, quit_at_, next_look_by_clock_, next_threads_, next_alive_,
        status_file_.NextDeadline(), keeper_.NextDeadline(pods_.changes() + node_.changes())}) {
    if (at && (!next || *at < *next)) next = at;
  }
  return next;
}

}  // namespace jettison
