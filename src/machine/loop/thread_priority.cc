#include "machine/loop/thread_priority.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "kernel/files/files.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::string_view kV2 = "/sys/fs/cgroup";

// "12:cpu,cpuacct:/system.slice", or "0::/system.slice" of v2.
struct GroupLine {
  std::string_view controllers;
  std::string_view path;
};

GroupLine TakeLine(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  const auto cut = [&line] {
    const std::string_view part = line.substr(0, line.find(':'));
    line.remove_prefix(std::min(line.size(), part.size() + 1));
    return part;
  };
  (void)cut();
  const std::string_view controllers = cut();
  return {.controllers = controllers, .path = line};
}

bool Names(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    const std::string_view each = controllers.substr(0, controllers.find(','));
    if (each == wanted) return true;
    controllers.remove_prefix(std::min(controllers.size(), each.size() + 1));
  }
  return false;
}

bool TakeRealTime(ThreadUrgency urgency) {
  const auto groups = kernel::ReadFile("/proc/self/cgroup");
  if (!groups || !MayBeRealTime(*groups, kV2)) return false;
  const int above_others = sched_get_priority_min(SCHED_FIFO);
  const sched_param param{.sched_priority =
                              above_others + (urgency == ThreadUrgency::kLoop ? 1 : 0)};
  return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0;
}

}  // namespace

bool MayBeRealTime(std::string_view proc_cgroup, std::string_view v2) {
  std::string_view unified;
  while (!proc_cgroup.empty()) {
    const GroupLine line = TakeLine(proc_cgroup);
    if (Names(line.controllers, "cpu")) return true;
    if (line.controllers.empty()) unified = line.path;
  }
  if (unified == "/") return true;
  return !unified.empty() && kernel::Exists(fmt::format("{}{}/cpu.weight", v2, unified));
}

Result<ThreadPriority> RaiseThreadPriority(ThreadUrgency urgency) {
  if (TakeRealTime(urgency)) return ThreadPriority::kRealTime;
  constexpr int kNice = -20;
  const sched_param none{};
  if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none) != 0) {
    return FailErrno("sched_setscheduler");
  }
  // On Linux the id 0 is the calling thread, not its process.
  if (setpriority(PRIO_PROCESS, 0, kNice) != 0) return FailErrno("setpriority");
  return ThreadPriority::kNice;
}

}  // namespace jettison
