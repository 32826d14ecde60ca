#include "kernel/cgroup_v2/limits.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "kernel/cgroup_v2/kernel_files.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/kernel_text.h"

namespace jettison::cgroup_v2 {
namespace {

Result<void> Write(int group, const char* file, std::string_view text) {
  auto written = kernel::WriteFile(group, file, text);
  if (written || written.error().code != ErrorCode::kNotFound) return written;
  const std::string_view name(file);
  return Fail(ErrorCode::kUnavailable,
              fmt::format("there is no {}: the {} controller is not in cgroup.subtree_control of "
                          "the group above",
                          name, name.substr(0, name.find('.'))));
}

// If a limit is below the usage, the kernel first reclaims memory and then kills processes (v1
// refuses such a limit). The kernel must not choose what is ended, so only reclaimable memory is
// freed. If that is not enough, the old limit stays.
Result<void> MakeRoom(int group, std::uint64_t bytes) {
  const auto used = [&]() -> std::uint64_t {
    const auto text = kernel::ReadFile(group, "memory.current");
    return text ? kernel::ParseCounter(*text).value_or(0) : 0;
  };
  const std::uint64_t before = used();
  if (before <= bytes) return {};
  (void)kernel::WriteFile(group, "memory.reclaim", std::to_string(before - bytes));
  const std::uint64_t after = used();
  if (after <= bytes) return {};
  return Fail(ErrorCode::kUnavailable,
              fmt::format("{} bytes are in use, a limit of {} would have the kernel kill for them",
                          after, bytes));
}

Result<void> SetMemory(int group, std::uint64_t bytes) {
  if (auto ok = MakeRoom(group, bytes); !ok) return ok;
  return Write(group, "memory.max", std::to_string(bytes));
}

// "QUOTA PERIOD"; a part that is absent does not change.
Result<void> SetBandwidth(int group, const CgroupLimits& limits) {
  std::string quota;
  if (limits.cpu_quota_us) {
    quota = *limits.cpu_quota_us < 0 ? "max" : std::to_string(*limits.cpu_quota_us);
  } else {
    const auto text = kernel::ReadFile(group, "cpu.max");
    const auto now = text ? ParseCpuQuota(*text) : Result<std::string_view>("max");
    if (!now) return Fail(now.error().In("cpu.max"));
    quota = *now;
  }
  if (limits.cpu_period_us) quota += fmt::format(" {}", *limits.cpu_period_us);
  return Write(group, "cpu.max", quota);
}

}  // namespace

Result<void> SetLimits(int group, const CgroupLimits& limits) {
  if (limits.memory_bytes) {
    if (auto ok = SetMemory(group, *limits.memory_bytes); !ok) return ok;
  }
  if (limits.cpu_shares) {
    auto ok = Write(group, "cpu.weight", std::to_string(CpuWeight(*limits.cpu_shares)));
    if (!ok) return ok;
  }
  if (limits.cpu_quota_us || limits.cpu_period_us) {
    if (auto ok = SetBandwidth(group, limits); !ok) return ok;
  }
  if (limits.pids_max) {
    const std::int64_t max = *limits.pids_max;
    return Write(group, "pids.max", max < 0 ? "max" : std::to_string(max));
  }
  return {};
}

}  // namespace jettison::cgroup_v2
