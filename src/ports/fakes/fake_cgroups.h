#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/cgroups.h"
#include "ports/system_error.h"

namespace jettison {

// Control groups in memory. The node's own group "" is there from the start. What the test sets for
// a group is its own share; readings add up over the groups below, as the kernel's do. Safe to use
// from any thread.
class FakeCgroups : public Cgroups {
 public:
  // One signal that reached one process.
  struct SentSignal {
    std::string path;  // the group that was addressed
    pid_t pid = 0;
    int signal = 0;
    friend bool operator==(const SentSignal&, const SentSignal&) = default;
  };
  // The operations that can be made to fail.
  enum class Operation { kCreate, kRemove, kJoin, kSignal, kKill, kRead };

  [[nodiscard]] Result<void> Create(std::string_view path, const CgroupLimits& limits) override {
    const std::lock_guard lock(mutex_);
    if (auto ok = Check(Operation::kCreate, path); !ok) return ok;
    for (auto slash = path.find('/'); slash != std::string_view::npos;
         slash = path.find('/', slash + 1)) {
      groups_.try_emplace(std::string(path.substr(0, slash)));
    }
    MergeLimits(groups_[std::string(path)].limits, limits);
    return {};
  }
  [[nodiscard]] Result<void> Remove(std::string_view path) override {
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
  [[nodiscard]] Result<void> Join(std::string_view path, pid_t pid) {
    const std::lock_guard lock(mutex_);
    if (auto ok = Check(Operation::kJoin, path); !ok) return ok;
    LetIn();
    Enter(path, pid);
    return {};
  }
  // Returns one pipe. A process whose ID is written into it counts as a process of the group.
  [[nodiscard]] Result<std::vector<ProcsFile>> OpenProcs(std::string_view path) override {
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
  [[nodiscard]] Result<std::vector<pid_t>> Processes(std::string_view path) override {
    const std::lock_guard lock(mutex_);
    LetIn();
    if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
    return ProcessesBelow(path);
  }
  [[nodiscard]] Result<void> Signal(std::string_view path, int signal) override {
    const std::lock_guard lock(mutex_);
    LetIn();
    if (auto ok = Check(Operation::kSignal, path); !ok) return ok;
    Deliver(path, ProcessesBelow(path), signal);
    return {};
  }
  // The processes leave the group at once, unless KillsLinger(true).
  [[nodiscard]] Result<void> Kill(std::string_view path) override {
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
  [[nodiscard]] Result<std::vector<std::string>> Children(std::string_view path) override {
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
  [[nodiscard]] Result<CgroupMemory> ReadMemory(std::string_view path) override {
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
  // The lowest limit of the group and of those above it.
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadMemoryLimit(
      std::string_view path) override {
    const std::lock_guard lock(mutex_);
    if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
    std::optional<std::uint64_t> lowest;
    for (const auto& [name, group] : groups_) {
      if (!IsWithin(path, name) || !group.limits.memory_bytes) continue;
      lowest = std::min(lowest.value_or(*group.limits.memory_bytes), *group.limits.memory_bytes);
    }
    return lowest;
  }
  // What SetPids said, or one task a process.
  [[nodiscard]] Result<std::uint64_t> ReadPids(std::string_view path) override {
    const std::lock_guard lock(mutex_);
    LetIn();
    if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
    std::uint64_t sum = 0;
    for (const Group* group : Subtree(path)) sum += group->tasks.value_or(group->processes.size());
    return sum;
  }
  // What Create was last called with.
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadPidsLimit(std::string_view path) override {
    const std::lock_guard lock(mutex_);
    if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
    const std::optional<std::int64_t>& limit = At(path).limits.pids_max;
    if (!limit || *limit < 0) return std::optional<std::uint64_t>();
    return std::optional(static_cast<std::uint64_t>(*limit));
  }
  // Whether Create was called with these shares. The default is 1024, as in the kernel.
  [[nodiscard]] Result<bool> HasCpuShares(std::string_view path, std::uint64_t shares) override {
    constexpr std::uint64_t kUsualShares = 1024;
    const std::lock_guard lock(mutex_);
    if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
    return At(path).limits.cpu_shares.value_or(kUsualShares) == shares;
  }
  [[nodiscard]] Result<std::uint64_t> ReadOomKills(std::string_view path) override {
    const std::lock_guard lock(mutex_);
    if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
    return At(path).oom_kills;
  }
  // kUnavailable: there is no directory.
  [[nodiscard]] Result<FileDescriptor> OpenMemoryDirectory(std::string_view path) const override {
    const std::lock_guard lock(mutex_);
    if (auto ok = Check(Operation::kRead, path); !ok) return Fail(ok.error());
    return Fail(ErrorCode::kUnavailable, "groups in memory have no directory");
  }
  [[nodiscard]] Result<FileDescriptor> OpenPressureDirectory(std::string_view path) const override {
    return OpenMemoryDirectory(path);
  }

  // What the test sets. The group must exist (the setters create nothing).
  void SetMemory(std::string_view path, CgroupMemory own) {
    const std::lock_guard lock(mutex_);
    At(path).memory = own;
  }
  void SetMemoryLimit(std::string_view path, std::optional<std::uint64_t> bytes) {
    const std::lock_guard lock(mutex_);
    At(path).limits.memory_bytes = bytes;
  }
  void SetCpuShares(std::string_view path, std::uint64_t shares) {
    const std::lock_guard lock(mutex_);
    At(path).limits.cpu_shares = shares;
  }
  void SetPids(std::string_view path, std::uint64_t own_tasks) {
    const std::lock_guard lock(mutex_);
    At(path).tasks = own_tasks;
  }
  void SetOomKills(std::string_view path, std::uint64_t count) {
    const std::lock_guard lock(mutex_);
    At(path).oom_kills = count;
  }
  // The process is gone from whatever group it was in.
  void ProcessExited(pid_t pid) {
    const std::lock_guard lock(mutex_);
    LetIn();
    for (auto& [name, group] : groups_) group.processes.erase(pid);
  }
  // Killed processes stay until ProcessExited says that they are gone.
  void KillsLinger(bool linger) {
    const std::lock_guard lock(mutex_);
    kills_linger_ = linger;
  }
  // The operation on this group answers `error` until ClearFailures.
  void FailOn(Operation operation, std::string_view path, Error error) {
    const std::lock_guard lock(mutex_);
    failures_.insert_or_assign({operation, std::string(path)}, std::move(error));
  }
  void ClearFailures() {
    const std::lock_guard lock(mutex_);
    failures_.clear();
  }
  // Called for every process that a Signal or Kill reaches, e.g. to pass it on with kill(2).
  void OnSignal(std::function<void(pid_t, int)> callback) {
    const std::lock_guard lock(mutex_);
    on_signal_ = std::move(callback);
  }

  // What the test looks at.
  [[nodiscard]] bool Exists(std::string_view path) const {
    const std::lock_guard lock(mutex_);
    return groups_.contains(path);
  }
  // The limits the group was given, the later ones over the earlier.
  [[nodiscard]] CgroupLimits LimitsOf(std::string_view path) const {
    const std::lock_guard lock(mutex_);
    const auto it = groups_.find(path);
    return it == groups_.end() ? CgroupLimits{} : it->second.limits;
  }
  // Paths handed to Kill, in order.
  [[nodiscard]] std::vector<std::string> kills() const {
    const std::lock_guard lock(mutex_);
    return kills_;
  }
  // Every signal that reached a process, SIGKILL of a Kill included, in order.
  [[nodiscard]] std::vector<SentSignal> signals() const {
    const std::lock_guard lock(mutex_);
    return signals_;
  }

 private:
  // Whether `path` names `group` or a group below it.
  static bool IsWithin(std::string_view path, std::string_view group) {
    if (group.empty() || path == group) return true;
    return path.size() > group.size() && path.substr(0, group.size()) == group &&
           path[group.size()] == '/';
  }

  static void MergeLimits(CgroupLimits& into, const CgroupLimits& from) {
    if (from.memory_bytes) into.memory_bytes = from.memory_bytes;
    if (from.cpu_shares) into.cpu_shares = from.cpu_shares;
    if (from.cpu_quota_us) into.cpu_quota_us = from.cpu_quota_us;
    if (from.cpu_period_us) into.cpu_period_us = from.cpu_period_us;
    if (from.pids_max) into.pids_max = from.pids_max;
  }

  struct Group {
    CgroupLimits limits;
    CgroupMemory memory;
    std::optional<std::uint64_t> tasks;
    std::uint64_t oom_kills = 0;
    std::set<pid_t> processes;
  };
  using Groups = std::map<std::string, Group, std::less<>>;

  // What is written into the file of a group comes out here.
  struct Entrance {
    std::string group;
    FileDescriptor pipe;
  };

  [[nodiscard]] Result<void> Check(Operation operation, std::string_view path) const {
    if (const auto it = failures_.find({operation, std::string(path)}); it != failures_.end()) {
      return Fail(it->second);
    }
    if (operation != Operation::kCreate && operation != Operation::kRemove &&
        !groups_.contains(path)) {
      return Fail(ErrorCode::kNotFound, "no such group: " + std::string(path));
    }
    return {};
  }
  [[nodiscard]] std::vector<const Group*> Subtree(std::string_view path) const {
    std::vector<const Group*> subtree;
    for (const auto& [name, group] : groups_) {
      if (IsWithin(name, path)) subtree.push_back(&group);
    }
    return subtree;
  }
  [[nodiscard]] std::vector<pid_t> ProcessesBelow(std::string_view path) const {
    std::vector<pid_t> pids;
    for (const Group* group : Subtree(path)) {
      pids.insert(pids.end(), group->processes.begin(), group->processes.end());
    }
    std::sort(pids.begin(), pids.end());
    return pids;
  }
  void Enter(std::string_view path, pid_t pid) {
    for (auto& [name, group] : groups_) group.processes.erase(pid);
    At(path).processes.insert(pid);
  }
  void LetIn() {
    std::erase_if(entrances_, [this](const Entrance& entrance) {
      for (;;) {
        std::array<char, 32> text{};
        const ssize_t n = ::read(entrance.pipe.get(), text.data(), text.size() - 1);
        if (n <= 0) return n == 0;
        if (groups_.contains(entrance.group)) Enter(entrance.group, std::atoi(text.data()));
      }
    });
  }
  void Deliver(std::string_view path, const std::vector<pid_t>& pids, int signal) {
    for (const pid_t pid : pids) {
      signals_.push_back({std::string(path), pid, signal});
      if (on_signal_) on_signal_(pid, signal);
    }
  }
  Group& At(std::string_view path) {
    const auto it = groups_.find(path);
    assert(it != groups_.end() && "the test sets a figure of a group that does not exist");
    return it->second;
  }

  mutable std::mutex mutex_;
  Groups groups_{{"", Group{}}};
  std::vector<Entrance> entrances_;
  std::map<std::pair<Operation, std::string>, Error> failures_;
  std::function<void(pid_t, int)> on_signal_;
  std::vector<SentSignal> signals_;
  std::vector<std::string> kills_;
  bool kills_linger_ = false;
};

}  // namespace jettison
