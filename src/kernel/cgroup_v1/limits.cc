#include "kernel/cgroup_v1/limits.h"

#include <string>

#include "kernel/groups/group_files.h"

namespace jettison::cgroup_v1 {
namespace {

using kernel::OpenGroup;
using kernel::WriteFile;

Result<FileDescriptor> OpenIn(const Hierarchies& hierarchies, Controller controller,
                              std::string_view path) {
  const auto node = hierarchies.NodeOf(controller);
  if (!node) return Fail(node.error());
  return OpenGroup(*node, path);
}

Result<void> SetMemory(const Hierarchies& hierarchies, std::string_view path, std::uint64_t bytes) {
  const auto group = OpenIn(hierarchies, Controller::kMemory, path);
  if (!group) return Fail(group.error());
  return WriteFile(group->get(), "memory.limit_in_bytes", std::to_string(bytes));
}

Result<void> SetPids(const Hierarchies& hierarchies, std::string_view path, std::int64_t max) {
  const auto group = OpenIn(hierarchies, Controller::kPids, path);
  if (!group) return Fail(group.error());
  return WriteFile(group->get(), "pids.max", max < 0 ? "max" : std::to_string(max));
}

// The kernel checks quota and period together against the group above, so one of the two orders of
// writing them may be refused.
Result<void> SetBandwidth(int group, const CgroupLimits& limits) {
  const auto period = [&]() -> Result<void> {
    if (!limits.cpu_period_us) return {};
    return WriteFile(group, "cpu.cfs_period_us", std::to_string(*limits.cpu_period_us));
  };
  const bool period_first = period().has_value();
  if (limits.cpu_quota_us) {
    auto ok = WriteFile(group, "cpu.cfs_quota_us", std::to_string(*limits.cpu_quota_us));
    if (!ok) return ok;
  }
  return period_first ? Result<void>() : period();
}

Result<void> SetCpu(const Hierarchies& hierarchies, std::string_view path,
                    const CgroupLimits& limits) {
  const auto group = OpenIn(hierarchies, Controller::kCpu, path);
  if (!group) return Fail(group.error());
  if (limits.cpu_shares) {
    auto ok = WriteFile(group->get(), "cpu.shares", std::to_string(*limits.cpu_shares));
    if (!ok) return ok;
  }
  return SetBandwidth(group->get(), limits);
}

}  // namespace

Result<void> SetLimits(const Hierarchies& hierarchies, std::string_view path,
                       const CgroupLimits& limits) {
  if (limits.memory_bytes) {
    if (auto ok = SetMemory(hierarchies, path, *limits.memory_bytes); !ok) return ok;
  }
  // Shares divide a controller that is not there; a quota would be a promise.
  const bool is_limited = limits.cpu_quota_us || limits.cpu_period_us;
  const bool has_shares = limits.cpu_shares && hierarchies.Find(Controller::kCpu) != nullptr;
  if (is_limited || has_shares) {
    if (auto ok = SetCpu(hierarchies, path, limits); !ok) return ok;
  }
  if (limits.pids_max) {
    if (auto ok = SetPids(hierarchies, path, *limits.pids_max); !ok) return ok;
  }
  return {};
}

}  // namespace jettison::cgroup_v1
