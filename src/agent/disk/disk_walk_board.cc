#include "agent/disk/disk_walk_board.h"

#include <algorithm>
#include <iterator>
#include <mutex>

namespace jettison {
namespace {

void Add(const FsUsage& usage, FsUsage& total) {
  if (usage.used_bytes) total.used_bytes = total.used_bytes.value_or(0) + *usage.used_bytes;
  if (usage.inodes_used) total.inodes_used = total.inodes_used.value_or(0) + *usage.inodes_used;
}

bool HoldsNoLess(const FsUsage& usage, const FsUsage& than) {
  return usage.used_bytes.value_or(0) >= than.used_bytes.value_or(0) &&
         usage.inodes_used.value_or(0) >= than.inodes_used.value_or(0);
}

// Read errors do not make a pod's figures smaller for this long. If they last longer, the figures
// are those of the files that can be read.
constexpr Duration kUnreadPatience = std::chrono::minutes(1);

// How long a decision for a disk waits for pods without complete figures.
constexpr Duration kReadAgainFor = std::chrono::seconds(10);

bool Replaces(const PodDiskUse& part, const PodDiskUse& known) {
  return HoldsNoLess(part.total, known.total) ||
         part.measured_at - known.measured_at >= kUnreadPatience;
}

}  // namespace

PodDiskUse FiguresOf(const PodDisk& disk) {
  PodDiskUse use;
  for (const auto& container : disk.containers) {
    use.containers.push_back({.name = container.name, .rootfs = {}, .logs = {}});
  }
  for (const auto& volume : disk.empty_dirs) {
    use.volumes.push_back({.name = volume.name, .usage = {}});
  }
  return use;
}

FsUsage& FigureOf(PodDiskUse& use, std::size_t figure) {
  const std::size_t of_containers = 2 * use.containers.size();
  if (figure >= of_containers) return use.volumes[figure - of_containers].usage;
  PodDiskUse::OfContainer& container = use.containers[figure / 2];
  return figure % 2 == 0 ? container.rootfs : container.logs;
}

FsUsage TotalOf(const PodDiskUse& use, const PodDisk& disk) {
  FsUsage total;
  for (const PodDiskUse::OfContainer& container : use.containers) {
    Add(container.rootfs, total);
    Add(container.logs, total);
  }
  for (std::size_t i = 0; i < use.volumes.size(); ++i) {
    if (!disk.empty_dirs[i].memory) Add(use.volumes[i].usage, total);
  }
  return total;
}

void DiskSoFar::Begin(const PodDisk& disk, const PodDiskUse& use) {
  const std::lock_guard lock(mutex_);
  disk_ = disk;
  use_ = use;
  use_.partial = true;
  open_.reset();
}

void DiskSoFar::Open(std::size_t figure) {
  Restart();
  const std::lock_guard lock(mutex_);
  open_ = figure;
}

void DiskSoFar::Restart() {
  const std::lock_guard lock(mutex_);
  progress_.bytes = 0;
  progress_.inodes = 0;
}

void DiskSoFar::Close(const FsUsage& usage) {
  const std::lock_guard lock(mutex_);
  FigureOf(use_, *open_) = usage;
  open_.reset();
}

PodDiskUse DiskSoFar::Read() const {
  const std::lock_guard lock(mutex_);
  PodDiskUse use = use_;
  if (open_ && progress_.inodes > 0) {
    FigureOf(use, *open_) = {.used_bytes = progress_.bytes, .inodes_used = progress_.inodes};
  }
  use.total = TotalOf(use, disk_);
  return use;
}

void DiskWalkBoard::Begin(std::vector<DiskTask> tasks) {
  const std::lock_guard lock(mutex_);
  open_ = true;
  pods_.clear();
  for (const DiskTask& task : tasks) pods_.insert(task.uid);
  std::erase_if(known_, [this](const auto& entry) { return !pods_.contains(entry.first); });
  std::erase_if(history_, [this](const auto& entry) { return !pods_.contains(entry.first); });
  std::erase_if(unread_since_, [this](const auto& entry) { return !pods_.contains(entry.first); });
  std::erase_if(tasks, [this](const DiskTask& task) {
    return std::ranges::any_of(at_, [&](const auto& work) {
      return work.second.uid == task.uid && !work.second.forgotten;
    });
  });
  std::ranges::sort(tasks, [this](const auto& a, const auto& b) { return IsBefore(a, b); });
  waiting_.assign(std::move_iterator(tasks.begin()), std::move_iterator(tasks.end()));
}

bool DiskWalkBoard::IsBefore(const DiskTask& a, const DiskTask& b) const {
  const auto of_a = history_.find(a.uid);
  const auto of_b = history_.find(b.uid);
  const bool knows_a = of_a != history_.end();
  const bool knows_b = of_b != history_.end();
  if (knows_a != knows_b) return knows_b;
  if (knows_a && of_a->second.grown != of_b->second.grown) {
    return of_a->second.grown > of_b->second.grown;
  }
  return a.uid < b.uid;
}

std::optional<DiskTask> DiskWalkBoard::Take(Walker walker, Instant now) {
  const std::lock_guard lock(mutex_);
  const auto before = at_.find(walker);
  const bool was_given_up = before != at_.end() && before->second.given_up;
  if (before != at_.end()) at_.erase(before);
  // Another thread has taken over from this one.
  if (was_given_up || waiting_.empty()) return std::nullopt;
  DiskTask task = std::move(waiting_.front());
  waiting_.pop_front();
  at_[walker] = {.uid = task.uid, .since = now};
  return task;
}

void DiskWalkBoard::Put(Walker walker, PodDiskUse use) {
  const std::lock_guard lock(mutex_);
  const auto work = at_.find(walker);
  if (work == at_.end() || work->second.forgotten) return;
  work->second.measured = true;
  const std::string& uid = work->second.uid;
  if (!pods_.contains(uid)) return;
  if (use.partial && !PartCounts(uid, use)) return;
  if (!use.partial) unread_since_.erase(uid);
  Remember(work->second, use);
  known_[uid] = std::move(use);
}

bool DiskWalkBoard::PartCounts(const std::string& uid, const PodDiskUse& part) {
  const auto known = known_.find(uid);
  const bool is_known = known != known_.end();
  if (!is_known || known->second.partial) unread_since_.try_emplace(uid, part.measured_at);
  return is_known ? Replaces(part, known->second) : part.total.inodes_used.has_value();
}

void DiskWalkBoard::PutSoFar(Walker walker, PodDiskUse so_far) {
  const std::lock_guard lock(mutex_);
  const auto work = at_.find(walker);
  if (work == at_.end() || !work->second.given_up) return;
  if (work->second.measured || work->second.forgotten) return;
  const std::string& uid = work->second.uid;
  if (!pods_.contains(uid) || !so_far.total.inodes_used) return;
  const auto known = known_.find(uid);
  if (known != known_.end() && !HoldsNoLess(so_far.total, known->second.total)) return;
  known_[uid] = std::move(so_far);
}

void DiskWalkBoard::Remember(const Work& work, const PodDiskUse& use) {
  const auto [entry, is_new] = history_.try_emplace(work.uid);
  History& history = entry->second;
  const std::uint64_t used = use.total.used_bytes.value_or(0);
  history.grown = !is_new && used > history.used ? used - history.used : 0;
  history.used = used;
}

bool DiskWalkBoard::SomebodyWalks() const {
  return std::ranges::any_of(at_, [](const auto& work) { return !work.second.given_up; });
}

bool DiskWalkBoard::GiveUp(Instant then) {
  const std::lock_guard lock(mutex_);
  bool any = false;
  for (auto& [walker, work] : at_) {
    if (work.given_up || work.since > then) continue;
    work.given_up = any = true;
  }
  return any && !waiting_.empty();
}

std::optional<Instant> DiskWalkBoard::BusySince() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [walker, work] : at_) {
    if (!work.given_up) return work.since;
  }
  return std::nullopt;
}

std::vector<std::string> DiskWalkBoard::Late() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> pods;
  for (const auto& [walker, work] : at_) {
    if (work.given_up) pods.push_back(work.uid);
  }
  return pods;
}

bool DiskWalkBoard::IsAtWork(Walker walker) const {
  const std::lock_guard lock(mutex_);
  return at_.contains(walker);
}

bool DiskWalkBoard::IsGivenUp(Walker walker) const {
  const std::lock_guard lock(mutex_);
  const auto work = at_.find(walker);
  return work != at_.end() && work->second.given_up;
}

bool DiskWalkBoard::IsOpen() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

void DiskWalkBoard::Drop() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
}

std::optional<DiskUse> DiskWalkBoard::TakeResult() {
  const std::lock_guard lock(mutex_);
  if (!open_ || !waiting_.empty() || SomebodyWalks()) return std::nullopt;
  open_ = false;
  return known_;
}

DiskUse DiskWalkBoard::Known() const {
  const std::lock_guard lock(mutex_);
  return known_;
}

std::optional<Instant> DiskWalkBoard::UnreadUntil(Instant now) const {
  const std::lock_guard lock(mutex_);
  std::optional<Instant> until;
  for (const auto& [uid, since] : unread_since_) {
    if (now < since + kReadAgainFor) until = std::max(until, std::optional(since + kReadAgainFor));
  }
  return until;
}

void DiskWalkBoard::Forget(const std::string& uid) {
  const std::lock_guard lock(mutex_);
  known_.erase(uid);
  history_.erase(uid);
  unread_since_.erase(uid);
  std::erase_if(waiting_, [&](const DiskTask& task) { return task.uid == uid; });
  for (auto& [walker, work] : at_) {
    if (work.uid == uid) work.forgotten = true;
  }
}

}  // namespace jettison
