#include "agent/disk/disk_walk_thread.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <thread>

#include "core/pods/pod_facts.h"
#include "kernel/disk_usage/deleted_files.h"
#include "kernel/filesystem/filesystem.h"

namespace jettison {
namespace {

// Shorter pieces of work cost more in wake-ups than a rest saves.
constexpr std::chrono::milliseconds kPiece{5};
constexpr std::chrono::steady_clock::duration kLongestRest = std::chrono::milliseconds(100);
// How long the end of threads is waited for. A thread whose files do not answer is left behind.
constexpr std::chrono::seconds kFarewell{1};
constexpr std::chrono::milliseconds kFarewellStep{2};

// On Linux the id 0 is the calling thread, not its process. The C library has neither function nor
// constants for ioprio_set(2), and the kernel's header, linux/ioprio.h, is not valid C++ in every
// version: the one of Debian 12 has a parameter named "class".
void LowerDiskThreadPriority() {
  constexpr int kNice = 10;
  constexpr int kOfThread = 1;    // IOPRIO_WHO_PROCESS
  constexpr int kBestEffort = 2;  // IOPRIO_CLASS_BE
  constexpr int kClassShift = 13;
  constexpr int kLastLevel = 7;
  ::setpriority(PRIO_PROCESS, 0, kNice);
  ::syscall(SYS_ioprio_set, kOfThread, 0, kBestEffort << kClassShift | kLastLevel);
}

// One takes a microsecond or two.
constexpr std::size_t kMostDescriptors = 200'000;

std::optional<dev_t> KnownDeviceOf(const std::string& path) {
  const auto device = DeviceOf(path);
  return device ? std::optional(*device) : std::nullopt;
}

// The writable layers of a pod are on one file system.
std::optional<dev_t> DeviceOfLayers(const PodDisk& disk) {
  for (const PodDisk::ContainerDisk& container : disk.containers) {
    if (!container.layer.empty()) return KnownDeviceOf(container.layer);
  }
  return std::nullopt;
}

}  // namespace

DiskWalkThread::Walker::Walker(std::shared_ptr<Shared> with) : shared(std::move(with)) {
  Renew();
}

// What a thread remembers of trees is invalid once another thread has walked in its place.
void DiskWalkThread::Walker::Renew() {
  Shared* const of = shared.get();  // the owner of the options keeps it alive
  measurer = std::make_unique<DiskMeasurer>(*of->clock,
                                            WalkOptions{.cancelled = &of->cancelled,
                                                        .breathe = [this] { Breathe(); },
                                                        .directories = &of->directories,
                                                        .progress = nullptr},
                                            DiskMeasurerSettings{}, so_far);
  remembers = false;
}

void DiskWalkThread::Walker::Breathe() {
  const auto worked = std::chrono::steady_clock::now() - works_since;
  if (worked < kPiece) return;
  if (!shared->urgent && !shared->cancelled) {
    std::this_thread::sleep_for(std::min(worked, kLongestRest));
  }
  works_since = std::chrono::steady_clock::now();
}

std::optional<DiskWalkThread::Task> DiskWalkThread::Walker::Next(std::optional<PodDiskUse> use) {
  const std::lock_guard lock(mutex);
  if (use && present && !present->forgotten) found.emplace_back(present->uid, *std::move(use));
  present.reset();
  if (waiting.empty()) return std::nullopt;
  Task task = std::move(waiting.front());
  waiting.pop_front();
  present = Present{.uid = task.uid, .since = shared->clock->Now()};
  return task;
}

void DiskWalkThread::Walker::AddDeletedFiles(const Task& task, PodDiskUse& use) {
  std::vector<pid_t> processes;
  bool unread = false;
  for (const std::string& group : task.groups) {
    const auto in_group = shared->deleted.groups->Processes(group);
    unread = unread || (!in_group && in_group.error().code != ErrorCode::kNotFound);
    if (in_group) processes.insert(processes.end(), in_group->begin(), in_group->end());
  }
  const DeletedFiles deleted = DeletedFilesOf(
      processes,
      {.node = KnownDeviceOf(shared->deleted.node_fs), .layers = DeviceOfLayers(task.disk)},
      descriptors_left);
  unread = unread || deleted.unread;
  const auto add = [&](std::string_view name, const FsUsage& usage) {
    if (!usage.inodes_used && !unread) return;
    use.volumes.push_back({.name = std::string(name), .usage = usage});
  };
  if (!measurer->counted_by_project()) add(kDeletedFiles, deleted.on_node);
  add(kDeletedInLayers, deleted.in_layers);
}

void DiskWalkThread::Walker::Walk() {
  LowerDiskThreadPriority();
  descriptors_left = kMostDescriptors;
  const auto begin = std::chrono::steady_clock::now();
  works_since = begin;
  const std::uint64_t directories = shared->directories;
  const std::uint64_t trees = measurer->full_walks();
  measurer->BeginPass();
  remembers = true;
  std::optional<PodDiskUse> use;
  while (const auto task = Next(std::exchange(use, std::nullopt))) {
    use = measurer->Measure(task->disk);
    if (!task->groups.empty()) AddDeletedFiles(*task, *use);
    if (shared->cancelled) use.reset();
  }
  for (std::string& note : measurer->TakeNotes()) shared->notes.Put(std::move(note));
  std::unique_lock lock(mutex);
  const bool was_given_up = std::exchange(is_late, false);
  // Another thread has measured the rest, so EndPass must not drop what this one remembers of it.
  if (!was_given_up) {
    lock.unlock();
    measurer->EndPass();
    shared->costs.Put({.took = std::chrono::steady_clock::now() - begin,
                       .directories = shared->directories - directories,
                       .trees = measurer->full_walks() - trees});
    lock.lock();
  }
  walks = false;
  lock.unlock();
  shared->ends.Put({});
}

DiskWalkThread::DiskWalkThread(const ContainerRuntime& runtime, std::shared_ptr<const Clock> clock,
                               DeletedFileSources deleted, WalkPatience patience)
    : runtime_(runtime),
      patience_(patience),
      shared_(std::make_shared<Shared>(std::move(clock), std::move(deleted))) {
  for (std::size_t number = 0; number < kThreads; ++number) {
    crew_.push_back({.walker = std::make_shared<Walker>(shared_),
                     .walks = std::make_unique<JobQueue>(Threads::kWalks, AtEnd::kLeave)});
  }
}

DiskWalkThread::~DiskWalkThread() {
  shared_->cancelled = true;
  for (const Crew& crew : crew_) {
    const std::lock_guard lock(crew.walker->mutex);
    crew.walker->waiting.clear();
  }
  const auto until = std::chrono::steady_clock::now() + kFarewell;
  while (std::chrono::steady_clock::now() < until && !PodsUnderWay().empty()) {
    std::this_thread::sleep_for(kFarewellStep);
  }
}

void DiskWalkThread::Start(std::span<const PodFacts* const> pods, bool disk_is_short) {
  Collect();
  for (const Crew& crew : crew_) {
    const std::lock_guard lock(crew.walker->mutex);
    crew.walker->waiting.clear();
  }
  const bool look_for_deleted = disk_is_short && shared_->deleted.groups != nullptr;
  const auto under_way = PodsUnderWay();
  TextSet uids;
  std::deque<Task> tasks;
  for (const PodFacts* facts : pods) {
    uids.insert(facts->pod.uid);
    if (under_way.contains(facts->pod.uid)) continue;
    Task& task = tasks.emplace_back(
        Task{.uid = facts->pod.uid, .disk = runtime_.DiskOf(facts->pod), .groups = {}});
    if (look_for_deleted) task.groups = shared_->deleted.groups_of(*facts);
  }
  std::erase_if(said_late_, [&](const std::string& uid) { return !uids.contains(uid); });
  known_.Begin(std::move(uids));
  std::ranges::sort(tasks, {}, [this](const Task& task) {
    return std::pair(known_.use().contains(task.uid), std::string_view(task.uid));
  });
  is_open_ = true;
  if (!Send(std::move(tasks))) shared_->ends.Put({});
}

bool DiskWalkThread::Send(std::deque<Task> tasks) {
  bool sent = false;
  for (const Crew& crew : crew_) {
    const std::shared_ptr<Walker>& walker = crew.walker;
    const std::lock_guard lock(walker->mutex);
    if (!crew.walks->running() || walker->walks) continue;
    if (!sent) {
      sent = true;
      sent_at_ = shared_->clock->Now();
      walker->waiting = std::move(tasks);
      walker->walks = true;
      crew.walks->Do([walker] { walker->Walk(); });
    } else if (&crew != &crew_.front()) {
      crew.walks->Do([walker] {
        if (walker->remembers) walker->Renew();
      });
    }
  }
  return sent;
}

// A pod that takes too long may be the very one that fills the disk.
void DiskWalkThread::Collect() {
  for (const Crew& crew : crew_) {
    Walker& walker = *crew.walker;
    const std::lock_guard lock(walker.mutex);
    for (auto& [uid, use] : std::exchange(walker.found, {})) known_.Put(uid, std::move(use));
    if (walker.is_late && walker.present && !walker.present->forgotten) {
      known_.PutSoFar(walker.present->uid, walker.so_far->Read());
    }
  }
}

DiskUse DiskWalkThread::LastKnown() {
  Collect();
  return known_.use();
}

std::optional<DiskUse> DiskWalkThread::TakeResult() {
  (void)shared_->ends.TakeAll();
  if (!is_open_ || AnyWalks()) return std::nullopt;
  is_open_ = false;
  return LastKnown();
}

void DiskWalkThread::Forget(const std::string& pod_uid) {
  Collect();
  known_.Forget(pod_uid);
  for (const Crew& crew : crew_) {
    Walker& walker = *crew.walker;
    const std::lock_guard lock(walker.mutex);
    std::erase_if(walker.waiting, [&](const Task& task) { return task.uid == pod_uid; });
    if (walker.present && walker.present->uid == pod_uid) walker.present->forgotten = true;
  }
}

void DiskWalkThread::Advance(Instant now) {
  const auto since = BusySince();
  if (!since && now - sent_at_ >= Patience()) sent_at_ = now;  // it has not begun yet
  if (!since || now - *since < Patience()) return;
  std::deque<Task> rest;
  for (const Crew& crew : crew_) {
    Walker& walker = *crew.walker;
    const std::lock_guard lock(walker.mutex);
    if (walker.is_late || !walker.present || now - walker.present->since < Patience()) continue;
    walker.is_late = true;
    rest = std::exchange(walker.waiting, {});
    NoteLate(walker.present->uid);
  }
  if (!rest.empty() && !Send(std::move(rest))) {
    shared_->notes.Put(
        "no thread is left to measure the disk use of pods: all of them wait for file systems that "
        "do not answer");
  }
  if (!AnyWalks()) shared_->ends.Put({});
}

void DiskWalkThread::NoteLate(const std::string& uid) {
  if (!said_late_.insert(uid).second) return;
  shared_->notes.Put(fmt::format(
      "the disk use of pod {} could not be measured in time; the other pods are measured without "
      "it, and the agent uses what it has found so far or knew before; the pod may have very many "
      "files, or a mount in its volumes does not answer",
      uid));
}

bool DiskWalkThread::AnyWalks() const {
  return std::ranges::any_of(crew_, [](const Crew& crew) {
    const std::lock_guard lock(crew.walker->mutex);
    return crew.walker->walks && !crew.walker->is_late;
  });
}

std::optional<Instant> DiskWalkThread::BusySince() const {
  for (const Crew& crew : crew_) {
    const std::lock_guard lock(crew.walker->mutex);
    if (crew.walker->present && !crew.walker->is_late) return crew.walker->present->since;
  }
  return std::nullopt;
}

std::set<std::string, std::less<>> DiskWalkThread::PodsUnderWay() const {
  std::set<std::string, std::less<>> pods;
  for (const Crew& crew : crew_) {
    const std::lock_guard lock(crew.walker->mutex);
    const auto& present = crew.walker->present;
    if (present && !present->forgotten) pods.insert(present->uid);
  }
  return pods;
}

std::optional<Instant> DiskWalkThread::NextDeadline() const {
  if (!is_open_) return std::nullopt;
  return BusySince().value_or(sent_at_) + Patience();
}

Duration DiskWalkThread::Patience() const {
  return shared_->urgent ? patience_.urgent : patience_.ordinary;
}

}  // namespace jettison
