#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ports/cgroups.h"

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

  [[nodiscard]] Result<void> Create(std::string_view path, const CgroupLimits& limits) override;
  [[nodiscard]] Result<void> Remove(std::string_view path) override;
  [[nodiscard]] Result<void> Join(std::string_view path, pid_t pid);
  // Returns one pipe. A process whose ID is written into it counts as a process of the group.
  [[nodiscard]] Result<std::vector<ProcsFile>> OpenProcs(std::string_view path) override;
  [[nodiscard]] Result<std::vector<pid_t>> Processes(std::string_view path) override;
  [[nodiscard]] Result<void> Signal(std::string_view path, int signal) override;
  // The processes leave the group at once, unless KillsLinger(true).
  [[nodiscard]] Result<void> Kill(std::string_view path) override;
  [[nodiscard]] Result<std::vector<std::string>> Children(std::string_view path) override;
  [[nodiscard]] Result<CgroupMemory> ReadMemory(std::string_view path) override;
  // The lowest limit of the group and of those above it.
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadMemoryLimit(
      std::string_view path) override;
  // What SetPids said, or one task a process.
  [[nodiscard]] Result<std::uint64_t> ReadPids(std::string_view path) override;
  // What Create was last called with.
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadPidsLimit(std::string_view path) override;
  // Whether Create was called with these shares. The default is 1024, as in the kernel.
  [[nodiscard]] Result<bool> HasCpuShares(std::string_view path, std::uint64_t shares) override;
  [[nodiscard]] Result<std::uint64_t> ReadOomKills(std::string_view path) override;
  // kUnavailable: there is no directory.
  [[nodiscard]] Result<FileDescriptor> OpenMemoryDirectory(std::string_view path) const override;
  [[nodiscard]] Result<FileDescriptor> OpenPressureDirectory(std::string_view path) const override {
    return OpenMemoryDirectory(path);
  }

  // What the test sets. The group must exist (the setters create nothing).
  void SetMemory(std::string_view path, CgroupMemory own);
  void SetMemoryLimit(std::string_view path, std::optional<std::uint64_t> bytes);
  void SetCpuShares(std::string_view path, std::uint64_t shares);
  void SetPids(std::string_view path, std::uint64_t own_tasks);
  void SetOomKills(std::string_view path, std::uint64_t count);
  // The process is gone from whatever group it was in.
  void ProcessExited(pid_t pid);
  // Killed processes stay until ProcessExited says that they are gone.
  void KillsLinger(bool linger);
  // The operation on this group answers `error` until ClearFailures.
  void FailOn(Operation operation, std::string_view path, Error error);
  void ClearFailures();
  // Called for every process that a Signal or Kill reaches, e.g. to pass it on with kill(2).
  void OnSignal(std::function<void(pid_t, int)> callback);

  // What the test looks at.
  [[nodiscard]] bool Exists(std::string_view path) const;
  // The limits the group was given, the later ones over the earlier.
  [[nodiscard]] CgroupLimits LimitsOf(std::string_view path) const;
  // Paths handed to Kill, in order.
  [[nodiscard]] std::vector<std::string> kills() const;
  // Every signal that reached a process, SIGKILL of a Kill included, in order.
  [[nodiscard]] std::vector<SentSignal> signals() const;

 private:
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

  [[nodiscard]] Result<void> Check(Operation operation, std::string_view path) const;
  [[nodiscard]] std::vector<const Group*> Subtree(std::string_view path) const;
  [[nodiscard]] std::vector<pid_t> ProcessesBelow(std::string_view path) const;
  void Enter(std::string_view path, pid_t pid);
  void LetIn();
  void Deliver(std::string_view path, const std::vector<pid_t>& pids, int signal);
  Group& At(std::string_view path);

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
