#include "kernel/cgroup_v1/kill.h"

#include "kernel/groups/group_files.h"
#include "kernel/groups/group_processes.h"
#include "kernel/groups/layout/cgroup_layout.h"

namespace jettison::cgroup_v1 {
namespace {

using kernel::OpenGroup;
using kernel::WriteFile;

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

}  // namespace

// If the group cannot be sealed, the signals alone must suffice.
Result<void> KillAll(const Hierarchies& hierarchies, std::string_view path, int group) {
  const auto killed = kernel::KillBelow(group, [&] {
    (void)SealUnified(hierarchies, path);
    return SetFrozen(hierarchies, path, "FROZEN");
  });
  auto thawed = SetFrozen(hierarchies, path, "THAWED");
  if (thawed) thawed = ThawPodOf(hierarchies, path);
  if (!killed) return Fail(killed.error().In("kill"));
  if (!thawed) return Fail(thawed.error().In("thaw"));
  return {};
}

}  // namespace jettison::cgroup_v1
