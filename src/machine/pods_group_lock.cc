#include "machine/pods_group_lock.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <sstream>

#include "kernel/files/await_lock.h"
#include "kernel/files/files.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

std::string DescribeHolder(int fd) {
  struct stat facts {};
  if (fstat(fd, &facts) != 0) return "a process that cannot be told";
  const std::string locks = kernel::ReadFile("/proc/locks").value_or("");
  const int pid = LockHolder(locks, major(facts.st_dev), minor(facts.st_dev), facts.st_ino);
  if (pid <= 0) return "a process that cannot be told";
  std::string command = kernel::ReadFile(fmt::format("/proc/{}/cmdline", pid)).value_or("unknown");
  while (command.ends_with('\0')) command.pop_back();
  std::ranges::replace(command, '\0', ' ');
  return fmt::format("process {} ({})", pid, command);
}

}  // namespace

// "1: FLOCK  ADVISORY  WRITE 4711 00:1c:1234 0 EOF"; a line of who waits has "->" behind the
// number.
int LockHolder(const std::string& locks, unsigned major, unsigned minor, unsigned long inode) {
  const std::string file = fmt::format("{:02x}:{:02x}:{}", major, minor, inode);
  std::istringstream lines(locks);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string advisory;
    std::string access;
    std::string place;
    int pid = 0;
    if (!(words >> number >> kind >> advisory >> access >> pid >> place)) continue;
    if (kind == "FLOCK" && place == file) return pid;
  }
  return 0;
}

Result<FileDescriptor> LockPodsGroup(Cgroups& groups, const PodsGroupName& group,
                                     const std::string& root) {
  if (auto made = groups.Create(group.path, CgroupLimits{}); !made) return Fail(made.error());
  auto folder = groups.OpenMemoryDirectory(group.path);
  if (!folder) return folder;
  if (kernel::AwaitLock(folder->get())) return folder;
  if (errno != EWOULDBLOCK) return FileDescriptor();
  return Fail(ErrorCode::kUnavailable,
              fmt::format("the cgroup of all pods, {}, belongs to another agent, {}; this agent, "
                          "with the root {}, would end its pods. Stop the other agent, or set "
                          "nodeCgroup or cgroupRoot of one of the two to another cgroup",
                          group.shown, DescribeHolder(folder->get()), root));
}

}  // namespace jettison
