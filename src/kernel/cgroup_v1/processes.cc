#include "kernel/cgroup_v1/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "kernel/groups/group_files.h"
#include "kernel/groups/group_processes.h"
#include "kernel/groups/group_tree.h"
#include "kernel/groups/layout/group_names.h"

namespace jettison::cgroup_v1 {
namespace {

using kernel::OpenGroup;
using kernel::SignalBelow;
using kernel::WriteFile;

constexpr int kKillPasses = 50;
constexpr int kPassesBeforeFreezing = 3;

bool Vanished(const Error& error) {
  return error.code == ErrorCode::kNotFound;
}

// cgroup.kill (Linux 5.14) leaves no way to fork out of it. It reaches what is in the unified
// hierarchy; if that, the group or the file is missing, there is nothing to do.
Result<void> SealUnified(const Hierarchies& hierarchies, std::string_view path) {
  const Hierarchy* unified = hierarchies.Find(Controller::kUnified);
  if (unified == nullptr) return {};
  const auto group = OpenGroup(unified->node.get(), path);
  if (!group) return Vanished(group.error()) ? Result<void>() : Fail(group.error());
  auto written = WriteFile(group->get(), "cgroup.kill", "1");
  return !written && Vanished(written.error()) ? Result<void>() : written;
}

// A frozen v1 task does not act on SIGKILL before it is thawed, and a frozen group below stays
// frozen when the one above thaws.
Result<void> SetFrozen(int top, std::string_view state) {
  return kernel::VisitGroups(top, {.enter = [state](int group) -> Result<void> {
                                     auto written = WriteFile(group, "freezer.state", state);
                                     if (written || Vanished(written.error())) return {};
                                     return written;
                                   },
                                   .leave = nullptr});
}

Result<void> SetFrozen(const Hierarchies& hierarchies, std::string_view path,
                       std::string_view state) {
  const Hierarchy* freezer = hierarchies.Find(Controller::kFreezer);
  if (freezer == nullptr) return {};
  const auto group = OpenGroup(freezer->node.get(), path);
  if (!group) return Vanished(group.error()) ? Result<void>() : Fail(group.error());
  return SetFrozen(group->get(), state);
}

// A frozen pod freezes its containers. Groups above the pod are others' business.
Result<void> ThawPodOf(const Hierarchies& hierarchies, std::string_view path) {
  const Hierarchy* freezer = hierarchies.Find(Controller::kFreezer);
  if (freezer == nullptr) return {};
  const auto group = OpenGroup(freezer->node.get(), path);
  if (!group) return {};
  const auto frozen_above = kernel::ReadFile(group->get(), "freezer.parent_freezing");
  if (!frozen_above || !frozen_above->starts_with('1')) return {};
  bool in_pod = false;
  for (std::size_t end = path.find('/'); end != std::string_view::npos;
       end = path.find('/', end + 1)) {
    const std::string_view above = path.substr(0, end);
    in_pod = in_pod || kernel::IsPodName(above.substr(above.rfind('/') + 1));
    if (!in_pod) continue;
    const auto opened = OpenGroup(freezer->node.get(), above);
    if (!opened) return Vanished(opened.error()) ? Result<void>() : Fail(opened.error());
    const auto thawed = WriteFile(opened->get(), "freezer.state", "THAWED");
    if (!thawed && !Vanished(thawed.error())) return thawed;
  }
  return {};
}

// Signals the listed processes until a list has no new ones: a process with SIGKILL pending cannot
// fork any more. Only where processes fork faster than they are listed is the group sealed and
// frozen. Both wait for a lock of all groups, which another process may hold for seconds while the
// processors are busy. If the group cannot be sealed, the signals alone must suffice.
Result<void> KillUntilNobodyIsNew(const Hierarchies& hierarchies, std::string_view path,
                                  int group) {
  std::vector<pid_t> signalled;
  for (int pass = 0; pass < kKillPasses; ++pass) {
    auto pids = SignalBelow(group, SIGKILL);
    if (!pids) return Fail(pids.error());
    if (std::includes(signalled.begin(), signalled.end(), pids->begin(), pids->end())) return {};
    signalled = std::move(*pids);
    if (pass == kPassesBeforeFreezing) {
      (void)SealUnified(hierarchies, path);
      if (auto ok = SetFrozen(hierarchies, path, "FROZEN"); !ok) return ok;
    }
  }
  return Fail(
      ErrorCode::kDeadlineExceeded,
      fmt::format("processes kept appearing in {} passes; lower its pids limit", kKillPasses));
}

Result<void> RefuseNode(std::string_view path) {
  if (!path.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "signals go to groups below the node's, not to all of it");
}

}  // namespace

Result<void> Join(const Hierarchies& hierarchies, std::string_view path, pid_t pid) {
  for (const Hierarchy& hierarchy : hierarchies.all()) {
    const auto group = OpenGroup(hierarchy.node.get(), path);
    if (!group) return Fail(group.error());
    if (auto ok = WriteFile(group->get(), "cgroup.procs", std::to_string(pid)); !ok) {
      return Fail(
          ok.error().In(fmt::format("join {} ({})", path, NameOf(hierarchy.controllers.front()))));
    }
  }
  return {};
}

Result<std::vector<ProcsFile>> OpenProcs(const Hierarchies& hierarchies, std::string_view path) {
  std::vector<ProcsFile> files;
  for (const Hierarchy& hierarchy : hierarchies.all()) {
    std::string name = fmt::format("{} ({})", path, NameOf(hierarchy.controllers.front()));
    const auto group = OpenGroup(hierarchy.node.get(), path);
    if (!group) return Fail(group.error().In(name));
    auto file = kernel::OpenFileToWrite(group->get(), "cgroup.procs");
    if (!file) return Fail(file.error().In(name));
    files.push_back({.name = std::move(name), .file = std::move(*file)});
  }
  return files;
}

Result<void> SignalAll(const Hierarchies& hierarchies, std::string_view path, int signal) {
  if (auto ok = RefuseNode(path); !ok) return ok;
  const auto group = OpenGroup(hierarchies.memory(), path);
  if (!group) return Fail(group.error());
  const auto pids = SignalBelow(group->get(), signal);
  if (!pids) return Fail(pids.error());
  return {};
}

Result<void> KillAll(const Hierarchies& hierarchies, std::string_view path) {
  if (auto ok = RefuseNode(path); !ok) return ok;
  const auto group = OpenGroup(hierarchies.memory(), path);
  if (!group) return Fail(group.error());
  const auto killed = KillUntilNobodyIsNew(hierarchies, path, group->get());
  auto thawed = SetFrozen(hierarchies, path, "THAWED");
  if (thawed) thawed = ThawPodOf(hierarchies, path);
  if (!killed) return Fail(killed.error().In(fmt::format("kill {}", path)));
  if (!thawed) return Fail(thawed.error().In(fmt::format("thaw {}", path)));
  return {};
}

}  // namespace jettison::cgroup_v1
