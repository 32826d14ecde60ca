#include "machine/cgroups/enforced_limits.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/model/pod.h"
#include "kernel/groups/layout/cgroup_layout.h"

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
Result<bool> HasMemoryLimit(Cgroups& groups, const std::string& group, std::uint64_t bytes) {
  const auto now = groups.ReadMemoryLimit(group);
  if (!now) return Fail(now.error());
  const auto above = groups.ReadMemoryLimit(ParentOf(group));
  if (!above) return Fail(above.error());
  return *now == std::min(InPages(bytes), above->value_or(bytes));
}

// What of `limits` the group does not have any more, by name; empty: it has everything.
Result<std::string_view> ChangedOf(Cgroups& groups, const std::string& group,
                                   const CgroupLimits& limits) {
  if (limits.memory_bytes) {
    const auto same = HasMemoryLimit(groups, group, *limits.memory_bytes);
    if (!same) return Fail(same.error());
    if (!*same) return "memory";
  }
  if (limits.cpu_shares) {
    const auto same = groups.HasCpuShares(group, *limits.cpu_shares);
    if (!same) return Fail(same.error());
    if (!*same) return "CPU shares";
  }
  return "";
}

std::string BytesText(std::uint64_t bytes) {
  return Quantity::Of(static_cast<std::int64_t>(bytes), QuantityFormat::kBinarySI).ToString();
}

std::string TextOf(const std::optional<std::uint64_t>& limit) {
  return limit ? fmt::to_string(*limit) : std::string();
}

// What the kernel may have to reclaim for a limit that is set beside the guard of the node: it
// takes about 10 ms for this much.
constexpr std::uint64_t kReclaimedAtOnce = std::uint64_t{16} << 20;

Result<void> FitsSoon(Cgroups& groups, std::string_view group, const CgroupLimits& limits) {
  if (!limits.memory_bytes) return {};
  const auto memory = groups.ReadMemory(group);
  if (!memory && memory.error().code == ErrorCode::kNotFound) return {};
  if (!memory) return Fail(memory.error());
  const std::uint64_t usage = memory->usage;
  if (usage <= kReclaimedAtOnce || usage - kReclaimedAtOnce <= *limits.memory_bytes) return {};
  return Fail(ErrorCode::kUnavailable,
              fmt::format("{} bytes are in use, more than the limit of {}; it is set when they fit",
                          usage, *limits.memory_bytes));
}

}  // namespace

// `fits`: whether the limit on memory can be set now; the others are set in any case.
void EnforcedLimits::Set(Entry& entry, Result<void> fits) {
  Result<void> set;
  if (entry.must_exist) set = entry.groups->ReadMemoryLimit(entry.group).map([](const auto&) {});
  if (set) {
    CgroupLimits limits = entry.limits;
    if (!fits) limits.memory_bytes.reset();
    set = entry.groups->Create(entry.group, limits);
  }
  if (set) set = std::move(fits);
  if (!set && !entry.failing) {
    log_.Error("the limits of a group cannot be set",
               {{"group", entry.group}, {"err", set.error().message}});
  }
  entry.failing = !set;
}

EnforcedLimits::Entry& EnforcedLimits::EntryOf(Cgroups& groups, const std::string& group) {
  const auto known = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.groups == &groups && entry.group == group;
  });
  if (known != entries_.end()) return *known;
  return entries_.emplace_back(Entry{.groups = &groups, .group = group, .must_exist = true});
}

void EnforcedLimits::Enforce(Cgroups& groups, const std::string& group, const CgroupLimits& limits,
                             bool must_exist) {
  const std::size_t before = entries_.size();
  Entry& entry = EntryOf(groups, group);
  entry.limits = limits;
  entry.must_exist = must_exist;
  Set(entry, entries_.size() > before ? Result<void>() : FitsSoon(groups, group, limits));
}

void EnforcedLimits::StandBy(Cgroups& groups, const std::vector<GroupLimits>& set) {
  for (const auto& [group, limits] : set) EntryOf(groups, group).limits = limits;
}

std::string EnforcedLimits::Unset() const {
  std::string text;
  for (const Entry& entry : entries_) {
    if (!entry.failing || !entry.limits.memory_bytes) continue;
    const auto now = entry.groups->ReadMemoryLimit(entry.group);
    if (!now || *now == InPages(*entry.limits.memory_bytes)) continue;
    text += fmt::format("{}{} is to be limited to {} and is limited to {}",
                        text.empty() ? "" : "; ", entry.group,
                        BytesText(*entry.limits.memory_bytes), *now ? BytesText(**now) : "nothing");
  }
  return text;
}

void EnforcedLimits::Check() {
  for (Entry& entry : entries_) Check(entry);
}

void EnforcedLimits::Check(Entry& entry) {
  const auto changed = ChangedOf(*entry.groups, entry.group, entry.limits);
  if (changed && changed->empty()) {
    entry.failing = false;
    return;
  }
  const bool is_gone = !changed && changed.error().code == ErrorCode::kNotFound;
  if (!changed && !is_gone) return;  // what cannot be read is not taken for changed
  if (is_gone && entry.must_exist) {
    entry.failing = true;
    return;
  }
  if (changed && !entry.failing) {
    log_.Warn("the limits of a group were changed by somebody else and are set again",
              {{"group", entry.group},
               {"changed", *changed},
               {"memory", TextOf(entry.limits.memory_bytes)},
               {"cpuShares", TextOf(entry.limits.cpu_shares)}});
  }
  Set(entry, FitsSoon(*entry.groups, entry.group, entry.limits));
}

CgroupLimits LimitsOf(const EnforcedReservation& enforced, const ResourceList& reserved) {
  CgroupLimits limits;
  const auto amount = [&](std::string_view resource) { return FindResource(reserved, resource); };
  if (const Quantity* cpu = amount("cpu")) limits.cpu_shares = kernel::CpuShares(cpu->MilliValue());
  if (enforced.compressible_only) return limits;
  if (const Quantity* memory = amount("memory")) {
    limits.memory_bytes = static_cast<std::uint64_t>(memory->Value());
  }
  if (const Quantity* pids = amount("pid")) limits.pids_max = pids->Value();
  return limits;
}

}  // namespace jettison
