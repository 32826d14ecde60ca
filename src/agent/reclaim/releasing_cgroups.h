#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agent/loop/background_thread.h"
#include "agent/reclaim/cache_dropper.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Groups whose killed processes give their memory back sooner: after each kill a thread takes it
// from them, beside the kernel's own end of them. Page cache of a group is dropped before it is
// removed, on another thread; until that is done Remove is kUnavailable. All else is the groups'
// behind it, which must outlive this.
class ReleasingCgroups : public Cgroups {
 public:
  explicit ReleasingCgroups(Cgroups& groups) : groups_(groups) {}

  [[nodiscard]] Result<void> Create(std::string_view path, const CgroupLimits& limits) override {
    return groups_.Create(path, limits);
  }
  [[nodiscard]] Result<void> Remove(std::string_view path) override;
  [[nodiscard]] Result<void> Join(std::string_view path, pid_t pid) override {
    return groups_.Join(path, pid);
  }
  [[nodiscard]] Result<std::vector<ProcsFile>> OpenProcs(std::string_view path) override {
    return groups_.OpenProcs(path);
  }
  [[nodiscard]] Result<std::vector<pid_t>> Processes(std::string_view path) override {
    return groups_.Processes(path);
  }
  [[nodiscard]] Result<void> Signal(std::string_view path, int signal) override {
    return groups_.Signal(path, signal);
  }
  [[nodiscard]] Result<void> Kill(std::string_view path) override;
  [[nodiscard]] Result<std::vector<std::string>> Children(std::string_view path) override {
    return groups_.Children(path);
  }
  [[nodiscard]] Result<CgroupMemory> ReadMemory(std::string_view path) override {
    return groups_.ReadMemory(path);
  }
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadMemoryLimit(
      std::string_view path) override {
    return groups_.ReadMemoryLimit(path);
  }
  [[nodiscard]] Result<LimitedMemory> ReadLimitedMemory(std::string_view path) override {
    return groups_.ReadLimitedMemory(path);
  }
  [[nodiscard]] Result<std::uint64_t> ReadPids(std::string_view path) override {
    return groups_.ReadPids(path);
  }
  [[nodiscard]] Result<bool> HasCpuShares(std::string_view path, std::uint64_t shares) override {
    return groups_.HasCpuShares(path, shares);
  }
  [[nodiscard]] Result<std::uint64_t> ReadOomKills(std::string_view path) override {
    return groups_.ReadOomKills(path);
  }
  [[nodiscard]] Result<FileDescriptor> OpenMemoryDirectory(std::string_view path) const override {
    return groups_.OpenMemoryDirectory(path);
  }
  [[nodiscard]] Result<FileDescriptor> OpenPressureDirectory(std::string_view path) const override {
    return groups_.OpenPressureDirectory(path);
  }

 private:
  void ReleaseAll();

  Cgroups& groups_;
  std::mutex mutex_;
  std::vector<FileDescriptor> killed_;  // guarded by mutex_; processes whose memory is to be taken
  CacheDropper cache_;
  // The last member: it ends first.
  BackgroundThread thread_{
      {"release-memory", "memory of killed processes comes back at the kernel's own pace"}};
};

}  // namespace jettison
