#include "agent/enforced_limits.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/pod_resources.h"
#include "pod_host/cgroup_layout.h"

namespace jettison {
namespace {

std::string_view ParentOf(std::string_view group) {
  const auto slash = group.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : group.substr(0, slash);
}

// The kernel rounds a limit down to whole pages.
std::uint64_t InPages(std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes - bytes % page;
}

// Whether the limit in force is the one that was set, or a lower one of a group above.
Result<bool> Holds(Cgroups& groups, const std::string& group, std::uint64_t bytes) {
  const auto now = groups.ReadMemoryLimit(group);
  if (!now) return Fail(now.error());
  const auto above = groups.ReadMemoryLimit(ParentOf(group));
  if (!above) return Fail(above.error());
  return *now == std::min(InPages(bytes), above->value_or(bytes));
}

}  // namespace

void EnforcedLimits::Set(Entry& entry) {
  const auto there = entry.must_exist ? entry.groups->OpenMemoryDirectory(entry.group)
                                      : Result<FileDescriptor>(FileDescriptor());
  const auto set =
      there ? entry.groups->Create(entry.group, entry.limits) : Result<void>(Fail(there.error()));
  if (!set && !entry.failing) {
    log_.Error("the limits of a group cannot be set",
               {{"group", entry.group}, {"err", set.error().message}});
  }
  entry.failing = !set;
}

void EnforcedLimits::Enforce(Cgroups& groups, std::string group, const CgroupLimits& limits,
                             bool must_exist) {
  entries_.push_back(
      {.groups = &groups, .group = std::move(group), .limits = limits, .must_exist = must_exist});
  Set(entries_.back());
}

void EnforcedLimits::Check() {
  for (Entry& entry : entries_) {
    if (!entry.limits.memory_bytes) continue;
    const auto holds = Holds(*entry.groups, entry.group, *entry.limits.memory_bytes);
    if (holds && *holds) {
      entry.failing = false;
      continue;
    }
    if (!entry.failing) {
      log_.Warn("the limits of a group were changed by somebody else and are set again",
                {{"group", entry.group},
                 {"memory", fmt::to_string(*entry.limits.memory_bytes)},
                 {"err", holds ? "" : holds.error().message}});
    }
    Set(entry);
  }
}

CgroupLimits LimitsOf(const EnforcedReservation& enforced, const ResourceList& reserved) {
  CgroupLimits limits;
  const auto amount = [&](std::string_view resource) { return FindResource(reserved, resource); };
  if (const Quantity* cpu = amount("cpu"))
    limits.cpu_shares = pod_host::CpuShares(cpu->MilliValue());
  if (enforced.compressible_only) return limits;
  if (const Quantity* memory = amount("memory")) {
    limits.memory_bytes = static_cast<std::uint64_t>(memory->Value());
  }
  if (const Quantity* pids = amount("pid")) limits.pids_max = pids->Value();
  return limits;
}

}  // namespace jettison
