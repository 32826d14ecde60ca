#include "agent/disk/disk_walk_thread.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>

#include "core/pods/pod_facts.h"
#include "kernel/disk_usage/deleted_files.h"
#include "kernel/filesystem/filesystem.h"

namespace jettison {
namespace {

// Shorter pieces of work cost more in wake-ups than a rest saves.
constexpr std::chrono::milliseconds kPiece{5};
constexpr std::chrono::steady_clock::duration kLongestRest = std::chrono::milliseconds(100);
// How long the end of a thread is waited for. One whose files do not answer is left behind.
constexpr std::chrono::seconds kFarewell{1};

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

// What a thread measures with, one job after the other.
struct DiskWalkThread::Walker {
  const std::shared_ptr<Shared> shared;
  const std::shared_ptr<DiskSoFar> so_far = std::make_shared<DiskSoFar>();
  DiskMeasurer measurer;
  std::size_t descriptors_left = 0;  // that may be looked at in this walk
  std::chrono::steady_clock::time_point works_since;
  std::atomic<bool> has_begun = false;  // with the present pod

  explicit Walker(std::shared_ptr<Shared> with)
      : shared(std::move(with)),
        measurer(*shared->clock,
                 WalkOptions{.cancelled = &shared->cancelled,
                             .breathe = [this] { Breathe(); },
                             .directories = &shared->directories,
                             .progress = &so_far->progress()},
                 DiskMeasurerSettings{}, so_far) {}

  // Between two pieces of work: rests as long as it has worked, unless a decision waits.
  void Breathe() {
    const auto worked = std::chrono::steady_clock::now() - works_since;
    if (worked < kPiece) return;
    if (!shared->urgent && !shared->cancelled) {
      std::this_thread::sleep_for(std::min(worked, kLongestRest));
    }
    works_since = std::chrono::steady_clock::now();
  }
  void Measure(const Task& task, bool is_first, bool is_last) {
    has_begun = true;
    if (is_first) {
      descriptors_left = kMostDescriptors;
      works_since = std::chrono::steady_clock::now();
      measurer.BeginPass();
    }
    const std::uint64_t trees = measurer.full_walks();
    PodDiskUse use = measurer.Measure(task.disk);
    if (!task.groups.empty()) AddDeletedFiles(task, use);
    if (is_last) measurer.EndPass();
    shared->measured.Put({.by = this,
                          .use = std::move(use),
                          .trees = measurer.full_walks() - trees,
                          .notes = measurer.TakeNotes()});
  }
  void AddDeletedFiles(const Task& task, PodDiskUse& use);
};

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
  if (!measurer.counted_by_project()) add(kDeletedFiles, deleted.on_node);
  add(kDeletedInLayers, deleted.in_layers);
}

DiskWalkThread::DiskWalkThread(const ContainerRuntime& runtime, std::shared_ptr<const Clock> clock,
                               DeletedFileSources deleted, WalkPatience patience)
    : runtime_(runtime), patience_(patience), shared_(std::make_shared<Shared>()) {
  shared_->clock = std::move(clock);
  shared_->deleted = std::move(deleted);
  Renew();
}

DiskWalkThread::~DiskWalkThread() {
  shared_->cancelled = true;
  jobs_->DoInstead([] {});
  if (jobs_->running()) (void)jobs_->FinishWithin(kFarewell);
}

void DiskWalkThread::Renew() {
  walker_ = std::make_shared<Walker>(shared_);
  jobs_ = std::make_unique<JobQueue>(Threads::kWalks, AtEnd::kLeave);
}

void DiskWalkThread::Start(std::span<const PodFacts* const> pods, bool disk_is_short) {
  Collect();
  const bool look_for_deleted = disk_is_short && shared_->deleted.groups != nullptr;
  TextSet uids;
  waiting_.clear();
  for (const PodFacts* facts : pods) {
    uids.insert(facts->pod.uid);
    const bool is_late = std::ranges::any_of(
        late_, [&](const Present& pod) { return pod.uid == facts->pod.uid && !pod.forgotten; });
    if (is_late) continue;
    Task& task = waiting_.emplace_back(
        Task{.uid = facts->pod.uid, .disk = runtime_.DiskOf(facts->pod), .groups = {}});
    if (look_for_deleted) task.groups = shared_->deleted.groups_of(*facts);
  }
  std::erase_if(said_late_, [&](const std::string& uid) { return !uids.contains(uid); });
  known_.Begin(std::move(uids));
  std::ranges::sort(waiting_, {}, [this](const Task& task) {
    return std::pair(known_.use().contains(task.uid), std::string_view(task.uid));
  });
  is_open_ = begins_ = true;
  began_ = std::chrono::steady_clock::now();
  directories_before_ = shared_->directories;
  cost_ = {};
  MeasureNext();
}

void DiskWalkThread::MeasureNext() {
  if (present_ || !is_open_) return;
  if (!waiting_.empty() && (late_.size() >= kThreads || !jobs_->running())) {
    waiting_.clear();
    if (jobs_->running() && say_none_is_left_.Take()) {
      notes_.emplace_back(
          "no thread is left to measure the disk use of pods: all of them wait for file systems "
          "that do not answer");
    }
  }
  if (waiting_.empty()) return shared_->measured.Put({});
  present_ = {.walker = walker_, .uid = waiting_.front().uid, .since = shared_->clock->Now()};
  walker_->has_begun = false;
  jobs_->Do([walker = walker_, task = std::move(waiting_.front()), is_first = begins_,
             is_last = waiting_.size() == 1] { walker->Measure(task, is_first, is_last); });
  waiting_.pop_front();
  begins_ = false;
}

// A pod that takes too long may be the very one that fills the disk.
void DiskWalkThread::Collect() {
  for (Measured& measured : shared_->measured.TakeAll()) {
    if (present_ && measured.by == present_->walker.get()) {
      Put(*std::exchange(present_, std::nullopt), std::move(measured));
      continue;
    }
    const auto late = std::ranges::find_if(
        late_, [&](const Present& pod) { return pod.walker.get() == measured.by; });
    if (late == late_.end()) continue;
    Put(*late, std::move(measured));
    // It may remember many folders, which the loop must not take the time to free.
    gone_.Do([walker = std::move(late->walker)]() mutable { walker.reset(); });
    late_.erase(late);
  }
  for (const Present& pod : late_) {
    if (!pod.forgotten) known_.PutSoFar(pod.uid, pod.walker->so_far->Read());
  }
}

void DiskWalkThread::Put(const Present& pod, Measured measured) {
  if (!pod.forgotten) known_.Put(pod.uid, std::move(measured.use));
  cost_.trees += measured.trees;
  say_none_is_left_.Reset();
  std::ranges::move(measured.notes, std::back_inserter(notes_));
}

DiskUse DiskWalkThread::LastKnown() {
  Collect();
  MeasureNext();
  return known_.use();
}

std::optional<DiskUse> DiskWalkThread::TakeResult() {
  Collect();
  if (!is_open_) return std::nullopt;
  if (present_ || !waiting_.empty()) {
    MeasureNext();
    return std::nullopt;
  }
  is_open_ = false;
  cost_.took = std::chrono::steady_clock::now() - began_;
  cost_.directories = shared_->directories - directories_before_;
  return known_.use();
}

std::vector<std::string> DiskWalkThread::TakeNotes() {
  return std::exchange(notes_, {});
}

void DiskWalkThread::Forget(const std::string& pod_uid) {
  Collect();
  known_.Forget(pod_uid);
  std::erase_if(waiting_, [&](const Task& task) { return task.uid == pod_uid; });
  if (present_ && present_->uid == pod_uid) present_->forgotten = true;
  for (Present& pod : late_) pod.forgotten = pod.forgotten || pod.uid == pod_uid;
  MeasureNext();
}

void DiskWalkThread::Advance(Instant now) {
  if (!present_ || now - present_->since < Patience()) return;
  if (!present_->walker->has_begun) {  // no processor was free for it
    present_->since = now;
    return;
  }
  if (said_late_.insert(present_->uid).second) {
    notes_.push_back(fmt::format(
        "the disk use of pod {} could not be measured in time; the other pods are measured without "
        "it, and the agent uses what it has found so far or knew before; the pod may have very "
        "many files, or a mount in its volumes does not answer",
        present_->uid));
  }
  late_.push_back(*std::exchange(present_, std::nullopt));
  Renew();
  begins_ = true;
  MeasureNext();
}

std::optional<Instant> DiskWalkThread::NextDeadline() const {
  return present_ ? std::optional(present_->since + Patience()) : std::nullopt;
}

Duration DiskWalkThread::Patience() const {
  return shared_->urgent ? patience_.urgent : patience_.ordinary;
}

}  // namespace jettison
