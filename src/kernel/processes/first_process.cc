#include "kernel/processes/first_process.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "kernel/processes/proc_files.h"

namespace jettison {
namespace {

// A container may have any number of processes. The first one has one of the lowest ids, unless ids
// have wrapped around since; then another early process is used.
constexpr std::size_t kMostLookedAt = 256;

// The command line is read where the name leaves it open alone: that waits for the lock of the
// process' memory, which a program that is short of memory may hold for long.
bool IsPreparation(Processes& processes, pid_t pid, std::string_view proc_stat) {
  if (IsPrepared(proc_stat)) return true;
  if (!IsNamedLikeRunc(proc_stat)) return false;
  const auto command_line = processes.ReadFile(pid, "cmdline");
  return command_line && IsRuncInit(*command_line);
}

}  // namespace

Result<std::string> GroupOfContainer(Cgroups& cgroups, const std::string& parent,
                                     std::string_view id) {
  auto groups = cgroups.Children(parent);
  if (!groups) return Fail(groups.error());
  for (std::string& group : *groups) {
    if (IsGroupOfContainer(group, id)) return std::move(group);
  }
  return Fail(ErrorCode::kNotFound, "no group is named after container " + std::string(id));
}

Result<std::optional<FirstProcess>> FirstProcessIn(Processes& processes, Cgroups& cgroups,
                                                   std::string_view group, Counts counts) {
  auto pids = cgroups.Processes(group);
  if (!pids) return Fail(pids.error());
  std::ranges::sort(*pids);
  std::optional<FirstProcess> first;
  std::optional<FirstProcess> hidden;
  for (const pid_t pid : std::span(*pids).first(std::min(pids->size(), kMostLookedAt))) {
    const auto stat = processes.ReadFile(pid, "stat");
    if (!stat && !hidden && processes.Open(pid)) hidden = {.pid = pid, .began = 0};
    const auto began = stat ? StartOf(*stat) : std::nullopt;
    if (!began || std::ranges::binary_search(*pids, ParentOf(*stat))) continue;
    if (first && *began >= first->began) continue;
    if (counts == Counts::kStarted && IsPreparation(processes, pid, *stat)) continue;
    first = {.pid = pid, .began = *began};
  }
  return first ? first : hidden;
}

}  // namespace jettison
