#include "ports/fakes/fake_cgroups.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "ports/system_error.h"

namespace jettison {
namespace {

// Whether `path` names `group` or a group below it.
bool IsWithin(std::string_view path, std::string_view group) {
  if (group.empty() || path == group) return true;
  return path.size() > group.size() && path.substr(0, group.size()) == group &&
         path[group.size()] == '/';
}

void MergeLimits(CgroupLimits& into, const CgroupLimits& from) {
  if (from.memory_bytes) into.memory_bytes = from.memory_bytes;
  if (from.cpu_shares) into.cpu_shares = from.cpu_shares;
  if (from.cpu_quota_us) into.cpu_quota_us = from.cpu_quota_us;
  if (from.cpu_period_us) into.cpu_period_us = from.cpu_period_us;
  if (from.pids_max) into.pids_max = from.pids_max;
}

}  // namespace

Result<void> FakeCgroups::Check(Operation operation, std::string_view path) const {
  if (const auto it = failures_.find({operation, std::string(path)}); it != failures_.end()) {
    return Fail(it->second);
  }
  if (operation != Operation::kCreate && operation != Operation::kRemove &&
      !groups_.contains(path)) {
    return Fail(ErrorCode::kNotFound, "no such group: " + std::string(path));
  }
  return {};
}

FakeCgroups::Group& FakeCgroups::At(std::string_view path) {
  const auto it = groups_.find(path);
  assert(it != groups_.end() && "the test sets a figure of a group that does not exist");
  return it->second;
}

std::vector<const FakeCgroups::Group*> FakeCgroups::Subtree(std::string_view path) const {
  std::vector<const Group*> subtree;
  for (const auto& [name, group] : groups_) {
    if (IsWithin(name, path)) subtree.push_back(&group);
  }
  return subtree;
}

std::vector<pid_t> FakeCgroups::ProcessesBelow(std::string_view path) const {
  std::vector<pid_t> pids;
  for (const Group* group : Subtree(path)) {
    pids.insert(pids.end(), group->processes.begin(), group->processes.end());
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

Result<void> FakeCgroups::Create(std::string_view path, const CgroupLimits& limits) {
  const std::lock_guard lock(mutex_);
  if (auto ok = Check(Operation::kCreate, path); !ok) return ok;
  for (auto slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    groups_.try_emplace(std::string(path.substr(0, slash)));
  }
  MergeLimits(groups_[std::string(path)].limits, limits);
  return {};
}

Result<void> FakeCgroups::Remove(std::string_view path) {
  const std::lock_guard lock(mutex_);
  LetIn();
  if (auto ok = Check(Operation::kRemove, path); !ok) return ok;
  if (!ProcessesBelow(path).empty()) {
    return Fail(ErrorCode::kUnavailable, "processes still live in " + std::string(path));
  }
  std::erase_if(groups_, [&](const auto& entry) {
    return !entry.first.empty() && IsWithin(entry.first, path);
  });
  return {};
}

Result<void> FakeCgroups::Join(std::string_view path, pid_t pid) {
  const std::lock_guard lock(mutex_);
  if (auto ok = Check(Operation::kJoin, path); !ok) return ok;
  LetIn();
  Enter(path, pid);
  return {};
}

void FakeCgroups::Enter(std::string_view path, pid_t pid) {
  for (auto& [name, group] : groups_) group.processes.erase(pid);
  At(path).processes.insert(pid);
}

Result<std::vector<ProcsFile>> FakeCgroups::OpenProcs(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (auto ok = Check(Operation::kJoin, path); !ok) return Fail(ok.error());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return FailErrno("pipe2");
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  entrances_.push_back({.group = std::string(path), .pipe = FileDescriptor(ends[0])});
  std::vector<ProcsFile> files;
  files.push_back({.name = std::string(path), .file = FileDescriptor(ends[1])});
  return files;
}

// An entrance that nobody can write into any more is closed.
void FakeCgroups::LetIn() {
  std::erase_if(entrances_, [this](const Entrance& entrance) {
    for (;;) {
      std::array<char, 32> text{};
      const ssize_t n = ::read(entrance.pipe.get(), text.data(), text.size() - 1);
      if (n <= 0) return n == 0;
      if (groups_.contains(entrance.group)) Enter(entrance.group, std::atoi(text.data()));
    }
  });
}

Result<std::vector<pid_t>> FakeCgroups::Processes(std::string_view path) {
  const std::lock_guard lock(mutex_);
  LetIn();
  if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
  return ProcessesBelow(path);
}

void FakeCgroups::Deliver(std::string_view path, const std::vector<pid_t>& pids, int signal) {
  for (const pid_t pid : pids) {
    signals_.push_back({std::string(path), pid, signal});
    if (on_signal_) on_signal_(pid, signal);
  }
}

Result<void> FakeCgroups::Signal(std::string_view path, int signal) {
  const std::lock_guard lock(mutex_);
  LetIn();
  if (auto ok = Check(Operation::kSignal, path); !ok) return ok;
  Deliver(path, ProcessesBelow(path), signal);
  return {};
}

Result<void> FakeCgroups::Kill(std::string_view path) {
  const std::lock_guard lock(mutex_);
  LetIn();
  if (auto ok = Check(Operation::kKill, path); !ok) return ok;
  kills_.emplace_back(path);
  Deliver(path, ProcessesBelow(path), SIGKILL);
  if (kills_linger_) return {};
  for (auto& [name, group] : groups_) {
    if (IsWithin(name, path)) group.processes.clear();
  }
  return {};
}

Result<std::vector<std::string>> FakeCgroups::Children(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
  std::vector<std::string> names;
  const std::size_t prefix = path.empty() ? 0 : path.size() + 1;
  for (const auto& [name, group] : groups_) {
    if (name == path || !IsWithin(name, path)) continue;
    if (name.find('/', prefix) == std::string::npos) names.push_back(name.substr(prefix));
  }
  return names;
}

Result<CgroupMemory> FakeCgroups::ReadMemory(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
  CgroupMemory sum;
  for (const Group* group : Subtree(path)) {
    sum.usage += group->memory.usage;
    sum.inactive_file += group->memory.inactive_file;
    if (group->memory.active_file) {
      sum.active_file = sum.active_file.value_or(0) + *group->memory.active_file;
    }
    if (group->memory.swap) sum.swap = sum.swap.value_or(0) + *group->memory.swap;
  }
  return sum;
}

Result<std::optional<std::uint64_t>> FakeCgroups::ReadMemoryLimit(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
  std::optional<std::uint64_t> lowest;
  for (const auto& [name, group] : groups_) {
    if (!IsWithin(path, name) || !group.limits.memory_bytes) continue;
    lowest = std::min(lowest.value_or(*group.limits.memory_bytes), *group.limits.memory_bytes);
  }
  return lowest;
}

Result<std::uint64_t> FakeCgroups::ReadPids(std::string_view path) {
  const std::lock_guard lock(mutex_);
  LetIn();
  if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
  std::uint64_t sum = 0;
  for (const Group* group : Subtree(path)) sum += group->tasks.value_or(group->processes.size());
  return sum;
}

Result<std::optional<std::uint64_t>> FakeCgroups::ReadPidsLimit(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
  const std::optional<std::int64_t>& limit = At(path).limits.pids_max;
  if (!limit || *limit < 0) return std::optional<std::uint64_t>();
  return std::optional(static_cast<std::uint64_t>(*limit));
}

Result<bool> FakeCgroups::HasCpuShares(std::string_view path, std::uint64_t shares) {
  constexpr std::uint64_t kUsualShares = 1024;
  const std::lock_guard lock(mutex_);
  if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
  return At(path).limits.cpu_shares.value_or(kUsualShares) == shares;
}

Result<std::uint64_t> FakeCgroups::ReadOomKills(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
  return At(path).oom_kills;
}

Result<FileDescriptor> FakeCgroups::OpenMemoryDirectory(std::string_view path) const {
  const std::lock_guard lock(mutex_);
  if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
  return Fail(ErrorCode::kUnavailable, "groups in memory have no directory");
}

void FakeCgroups::SetMemory(std::string_view path, CgroupMemory own) {
  const std::lock_guard lock(mutex_);
  At(path).memory = own;
}

void FakeCgroups::SetMemoryLimit(std::string_view path, std::optional<std::uint64_t> bytes) {
  const std::lock_guard lock(mutex_);
  At(path).limits.memory_bytes = bytes;
}

void FakeCgroups::SetCpuShares(std::string_view path, std::uint64_t shares) {
  const std::lock_guard lock(mutex_);
  At(path).limits.cpu_shares = shares;
}

void FakeCgroups::SetPids(std::string_view path, std::uint64_t own_tasks) {
  const std::lock_guard lock(mutex_);
  At(path).tasks = own_tasks;
}

void FakeCgroups::SetOomKills(std::string_view path, std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  At(path).oom_kills = count;
}

void FakeCgroups::ProcessExited(pid_t pid) {
  const std::lock_guard lock(mutex_);
  LetIn();
  for (auto& [name, group] : groups_) group.processes.erase(pid);
}

void FakeCgroups::KillsLinger(bool linger) {
  const std::lock_guard lock(mutex_);
  kills_linger_ = linger;
}

void FakeCgroups::FailOn(Operation operation, std::string_view path, Error error) {
  const std::lock_guard lock(mutex_);
  failures_.insert_or_assign({operation, std::string(path)}, std::move(error));
}

void FakeCgroups::ClearFailures() {
  const std::lock_guard lock(mutex_);
  failures_.clear();
}

void FakeCgroups::OnSignal(std::function<void(pid_t, int)> callback) {
  const std::lock_guard lock(mutex_);
  on_signal_ = std::move(callback);
}

bool FakeCgroups::Exists(std::string_view path) const {
  const std::lock_guard lock(mutex_);
  return groups_.contains(path);
}

CgroupLimits FakeCgroups::LimitsOf(std::string_view path) const {
  const std::lock_guard lock(mutex_);
  const auto it = groups_.find(path);
  return it == groups_.end() ? CgroupLimits{} : it->second.limits;
}

std::vector<std::string> FakeCgroups::kills() const {
  const std::lock_guard lock(mutex_);
  return kills_;
}

std::vector<FakeCgroups::SentSignal> FakeCgroups::signals() const {
  const std::lock_guard lock(mutex_);
  return signals_;
}

}  // namespace jettison
