#include "agent/disk_walk_thread.h"

#include <chrono>
#include <thread>

#include "agent/disk_thread_priority.h"

namespace jettison {
namespace {

// Of the walking thread's time, as long as no disk is short.
constexpr double kShare = 0.5;

}  // namespace

DiskWalkThread::DiskWalkThread(const ContainerRuntime& runtime, const Clock& clock)
    : runtime_(runtime),
      pace_(kShare),
      measurer_(clock, {.cancelled = &cancelled_,
                        .shared = &pace_.urgent(),
                        .waited = [this](Duration time) { pace_.Waited(time); },
                        .breathe = [this] { pace_.Breathe(); },
                        .directories = &directories_}) {
  if (std::thread::hardware_concurrency() > 1) {
    helper_.emplace(ThreadPurpose{"disk-helper", "a walk takes as long while a disk is short"});
  }
}

DiskWalkThread::~DiskWalkThread() {
  cancelled_ = true;
  pace_.Stop();
  measurer_.walk().Close();
}

void DiskWalkThread::Start(std::span<const PodFacts* const> pods) {
  std::vector<DiskTask> tasks;
  for (const PodFacts* facts : pods) {
    tasks.push_back({.uid = facts->pod.uid,
                     .disk = runtime_.DiskOf(facts->pod),
                     .limits = DiskLimitsOf(*facts)});
  }
  if (!helping_ && pace_.urgent() && helper_) {
    helping_ = true;
    helper_->Do([this] {
      LowerDiskThreadPriority();
      pace_.TakeUp();
      measurer_.walk().Help();
    });
  }
  thread_.Do([this, tasks = std::move(tasks)] { Walk(tasks); });
}

DiskUse DiskWalkThread::LastKnown() {
  const std::lock_guard lock(mutex_);
  return known_;
}

void DiskWalkThread::Forget(const std::string& pod_uid) {
  const std::lock_guard lock(mutex_);
  known_.erase(pod_uid);
}

std::vector<std::size_t> DiskWalkThread::OrderOf(const std::vector<DiskTask>& tasks) const {
  std::vector<std::pair<std::string, const DiskHistory*>> pods;
  for (const DiskTask& task : tasks) {
    const auto known = history_.find(task.uid);
    pods.emplace_back(task.uid, known == history_.end() ? nullptr : &known->second);
  }
  return DiskWalkOrder(pods);
}

void DiskWalkThread::Remember(const DiskTask& task, const PodDiskUse& use) {
  const auto [entry, is_new] = history_.try_emplace(task.uid);
  DiskHistory& history = entry->second;
  const std::uint64_t used = use.total.used_bytes.value_or(0);
  history.grown_bytes = !is_new && used > history.used_bytes ? used - history.used_bytes : 0;
  history.used_bytes = used;
  history.fullness = FullnessOf(use, task.limits);
}

void DiskWalkThread::Walk(const std::vector<DiskTask>& tasks) {
  LowerDiskThreadPriority();
  pace_.TakeUp();
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t directories = directories_;
  const std::uint64_t trees = measurer_.full_walks();
  measurer_.BeginPass();
  DiskUse use;
  for (const std::size_t place : OrderOf(tasks)) {
    const DiskTask& task = tasks[place];
    const PodDiskUse& measured = use[task.uid] = measurer_.Measure(task.disk);
    if (cancelled_) return;
    Remember(task, measured);
    const std::lock_guard lock(mutex_);
    known_[task.uid] = measured;
  }
  measurer_.EndPass();
  std::erase_if(history_, [&](const auto& entry) { return !use.contains(entry.first); });
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [&](const auto& entry) { return !use.contains(entry.first); });
  }
  for (std::string& note : measurer_.TakeNotes()) notes_.Put(std::move(note));
  costs_.Put({.took = std::chrono::steady_clock::now() - begin,
              .directories = directories_ - directories,
              .trees = measurer_.full_walks() - trees});
  results_.Put(std::move(use));
}

}  // namespace jettison
