#include "agent/disk/disk_walk_thread.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/pods/pod_facts.h"
#include "kernel/disk_usage/deleted_files.h"
#include "kernel/filesystem/filesystem.h"

namespace jettison {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Shorter pieces of work cost more in wake-ups than they save.
constexpr Duration kPiece = std::chrono::milliseconds(5);

// When this thread began its piece of work. A thread walks for one pace only.
thread_local SteadyClock::time_point working_since;

// The share of its time in which a thread walks, as long as no disk is short.
constexpr double kShare = 0.5;
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

Duration DiskPace::RestAfter(Duration worked, double share) {
  if (worked < kPiece || share >= 1) return Duration::zero();
  const double rest = static_cast<double>(worked.count()) * (1 - share) / share;
  return Duration(static_cast<Duration::rep>(rest));
}

void DiskPace::TakeUp() {
  working_since = SteadyClock::now();
}

void DiskPace::Breathe() {
  if (urgent_ || stopped_) return TakeUp();
  const auto worked = std::chrono::duration_cast<Duration>(SteadyClock::now() - working_since);
  const Duration rest = RestAfter(worked, share_);
  if (rest == Duration::zero()) return;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, rest, [this] { return urgent_ || stopped_; });
  TakeUp();
}

void DiskPace::SetUrgent(bool urgent) {
  if (urgent_ == urgent) return;
  {
    const std::lock_guard lock(mutex_);
    urgent_ = urgent;
  }
  changed_.notify_all();
}

void DiskPace::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

DiskWalkThread::Shared::Shared(std::shared_ptr<const Clock> shared_clock,
                               DeletedFileSources sources)
    : clock(std::move(shared_clock)), deleted(std::move(sources)), pace(kShare) {}

void DiskWalkThread::Shared::Deliver() {
  if (auto result = board.TakeResult()) results.Put(std::move(*result));
}

DiskWalkThread::Walker::Walker(std::shared_ptr<Shared> with, std::size_t number_of)
    : shared(std::move(with)), number(number_of) {
  Renew();
}

// What a thread remembers of trees is invalid once another thread has walked in its place.
void DiskWalkThread::Walker::Renew() {
  Shared* const of = shared.get();  // the owner of the options keeps it alive
  measurer = std::make_unique<DiskMeasurer>(*of->clock,
                                            WalkOptions{.cancelled = &of->cancelled,
                                                        .breathe = [of] { of->pace.Breathe(); },
                                                        .directories = &of->directories,
                                                        .progress = nullptr},
                                            DiskMeasurerSettings{}, so_far);
  remembers = false;
}

void DiskWalkThread::Walker::AddDeletedFiles(const DiskTask& task, PodDiskUse& use) {
  std::vector<pid_t> processes;
  bool unread = false;
  for (const std::string& group : task.groups) {
    const auto in_group = shared->deleted.groups->Processes(group);
    unread = unread || (!in_group && in_group.error().code != ErrorCode::kNotFound);
    if (in_group) processes.insert(processes.end(), in_group->begin(), in_group->end());
  }
  const DeletedFiles found = DeletedFilesOf(
      processes,
      {.node = KnownDeviceOf(shared->deleted.node_fs), .layers = DeviceOfLayers(task.disk)},
      descriptors_left);
  unread = unread || found.unread;
  const auto add = [&](std::string_view name, const FsUsage& usage) {
    if (!usage.inodes_used && !unread) return;
    use.volumes.push_back({.name = std::string(name), .usage = usage});
  };
  if (!measurer->counted_by_project()) add(kDeletedFiles, found.on_node);
  add(kDeletedInLayers, found.in_layers);
}

void DiskWalkThread::Walker::Walk() {
  LowerDiskThreadPriority();
  descriptors_left = kMostDescriptors;
  shared->pace.TakeUp();
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t directories = shared->directories;
  const std::uint64_t trees = measurer->full_walks();
  measurer->BeginPass();
  remembers = true;
  bool given_up = false;
  while (const auto task = shared->board.Take(number, shared->clock->Now())) {
    PodDiskUse use = measurer->Measure(task->disk);
    if (!task->groups.empty()) AddDeletedFiles(*task, use);
    if (!shared->cancelled) shared->board.Put(number, std::move(use));
    given_up = shared->board.IsGivenUp(number);
  }
  for (std::string& note : measurer->TakeNotes()) shared->notes.Put(std::move(note));
  // Another thread has measured the rest, so EndPass must not drop what this one remembers of it.
  if (given_up) return shared->Deliver();
  measurer->EndPass();
  shared->costs.Put({.took = std::chrono::steady_clock::now() - begin,
                     .directories = shared->directories - directories,
                     .trees = measurer->full_walks() - trees});
  shared->Deliver();
}

DiskWalkThread::DiskWalkThread(const ContainerRuntime& runtime, std::shared_ptr<const Clock> clock,
                               DeletedFileSources deleted, WalkPatience patience)
    : runtime_(runtime),
      patience_(patience),
      shared_(std::make_shared<Shared>(std::move(clock), std::move(deleted))) {
  for (std::size_t number = 0; number < kThreads; ++number) {
    crew_.push_back({.walker = std::make_shared<Walker>(shared_, number),
                     .walks = std::make_unique<JobQueue>(Threads::kWalks, AtEnd::kLeave)});
  }
}

DiskWalkThread::~DiskWalkThread() {
  shared_->cancelled = true;
  shared_->board.Drop();
  shared_->pace.Stop();
  const auto until = std::chrono::steady_clock::now() + kFarewell;
  while (std::chrono::steady_clock::now() < until &&
         std::ranges::any_of(crew_, [this](const Crew& crew) {
           return shared_->board.IsAtWork(crew.walker->number);
         })) {
    std::this_thread::sleep_for(kFarewellStep);
  }
}

void DiskWalkThread::Start(std::span<const PodFacts* const> pods, bool disk_is_short) {
  const bool look_for_deleted = disk_is_short && shared_->deleted.groups != nullptr;
  std::vector<DiskTask> tasks;
  for (const PodFacts* facts : pods) {
    DiskTask& task =
        tasks.emplace_back(DiskTask{.uid = facts->pod.uid, .disk = runtime_.DiskOf(facts->pod)});
    if (look_for_deleted) task.groups = shared_->deleted.groups_of(*facts);
  }
  shared_->board.Begin(std::move(tasks));
  if (SendNext()) return;
  shared_->board.Drop();
  shared_->Deliver();
}

bool DiskWalkThread::SendNext() {
  bool sent = false;
  for (const Crew& crew : crew_) {
    const std::shared_ptr<Walker>& walker = crew.walker;
    if (!crew.walks->running() || shared_->board.IsAtWork(walker->number)) continue;
    if (!sent) {
      sent = true;
      sent_at_ = shared_->clock->Now();
      crew.walks->Do([walker] { walker->Walk(); });
    } else if (walker->number > 0) {
      crew.walks->Do([walker] {
        if (walker->remembers) walker->Renew();
      });
    }
  }
  return sent;
}

void DiskWalkThread::Advance(Instant now) {
  const auto since = shared_->board.BusySince();
  if (!since && now - sent_at_ >= Patience()) sent_at_ = now;  // it has not begun yet
  if (!since || now - *since < Patience()) return;
  if (shared_->board.GiveUp(now - Patience()) && !SendNext()) {
    shared_->notes.Put(
        "no thread is left to measure the disk use of pods: all of them wait for file systems that "
        "do not answer");
    shared_->board.Drop();
  }
  NoteLatePods();
  TakeSoFar();
  shared_->Deliver();
}

DiskUse DiskWalkThread::LastKnown() {
  TakeSoFar();
  return shared_->board.Known();
}

// A pod that takes too long may be the very one that fills the disk.
void DiskWalkThread::TakeSoFar() {
  for (const Crew& crew : crew_) {
    const Walker& walker = *crew.walker;
    if (shared_->board.IsGivenUp(walker.number)) {
      shared_->board.PutSoFar(walker.number, walker.so_far->Read());
    }
  }
}

void DiskWalkThread::NoteLatePods() {
  const std::vector<std::string> late = shared_->board.Late();
  std::erase_if(said_late_,
                [&](const std::string& uid) { return std::ranges::find(late, uid) == late.end(); });
  for (const std::string& uid : late) {
    if (!said_late_.insert(uid).second) continue;
    shared_->notes.Put(fmt::format(
        "the disk use of pod {} could not be measured in time; the other pods are measured without "
        "it, and the agent uses what it has found so far or knew before; the pod may have very "
        "many files, or a mount in its volumes does not answer",
        uid));
  }
}

std::optional<Instant> DiskWalkThread::NextDeadline() const {
  if (!shared_->board.IsOpen()) return std::nullopt;
  return shared_->board.BusySince().value_or(sent_at_) + Patience();
}

Duration DiskWalkThread::Patience() const {
  return shared_->pace.urgent() ? patience_.urgent : patience_.ordinary;
}

}  // namespace jettison
