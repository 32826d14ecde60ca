#include "kernel/cgroup_v2/kill.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/groups/group_files.h"
#include "kernel/groups/group_processes.h"
#include "kernel/groups/kernel_text.h"
#include "ports/file_descriptor.h"

namespace jettison::cgroup_v2 {
namespace {

using kernel::WriteFile;

bool Vanished(const Error& error) {
  return error.code == ErrorCode::kNotFound;
}

// If there is no such file (before Linux 5.2), nothing is frozen.
Result<void> Freeze(int group, std::string_view state) {
  auto written = WriteFile(group, "cgroup.freeze", state);
  return !written && Vanished(written.error()) ? Result<void>() : written;
}

// A killed process ends even in a frozen group. But a process that is started there later would not
// run, and a group below may be frozen separately. A write to cgroup.freeze waits for the lock of
// all groups (cgroup_mutex), and a read does not.
Result<void> ThawFrozen(int group) {
  const auto state = kernel::ReadFile(group, "cgroup.freeze");
  if (!state) return Vanished(state.error()) ? Result<void>() : Fail(state.error());
  return state->starts_with('1') ? Freeze(group, "0") : Result<void>();
}

Result<void> Thaw(int top) {
  return kernel::VisitGroups(top, {.enter = ThawFrozen, .leave = nullptr});
}

Result<void> KillBySignals(int group) {
  return kernel::KillBelow(group, [group] { return Freeze(group, "1"); });
}

// Whether the group may have a process.
bool IsPopulated(int group) {
  const auto events = kernel::ReadFile(group, "cgroup.events");
  return !events || kernel::RowNumber(*events, "populated") != 0U;
}

// Signals every listed process. False: that may not suffice, because the second list has a new
// process, the list cannot be read, or nobody is listed but the group has processes, which are then
// outside of the agent's PID namespace.
bool SignalsReachAll(int group) {
  const auto first = kernel::SignalBelow(group, SIGKILL);
  if (!first) return false;
  if (first->empty()) return !IsPopulated(group);
  const auto second = kernel::SignalBelow(group, SIGKILL);
  return second && std::includes(first->begin(), first->end(), second->begin(), second->end());
}

// A write to cgroup.kill waits for the lock of all groups, which another process may hold for
// seconds while the processors are busy. So everybody is signalled first, and it is only written
// where processes may have been missed.
Result<void> KillOnce(int group, KillBy how) {
  if (how == KillBy::kSignals) return KillBySignals(group);
  if (SignalsReachAll(group)) return {};
  // Missing before Linux 5.14; refused for a threaded group.
  auto written = WriteFile(group, "cgroup.kill", "1");
  return written ? written : KillBySignals(group);
}

}  // namespace

Result<void> KillAll(int group, KillBy how) {
  auto killed = KillOnce(group, how);
  const auto thawed = Thaw(group);
  if (!killed) return killed;
  if (!thawed) return Fail(thawed.error().In("thaw"));
  return {};
}

}  // namespace jettison::cgroup_v2
