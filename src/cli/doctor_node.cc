#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "agent/disk_layout.h"
#include "cli/doctor_checks.h"
#include "platform/filesystem/filesystem.h"
#include "platform/procfs/procfs.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

HostCheck Ok(std::string check, std::string found) {
  return {.check = std::move(check),
          .status = HostStatus::kOk,
          .found = std::move(found),
          .cost = "",
          .remedy = ""};
}

std::string MessageOf(int errno_value) {
  return std::generic_category().message(errno_value);
}

std::string Mebibytes(std::uint64_t bytes) {
  constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
  return fmt::format("{} MiB", bytes / kMebi);
}

// Tries something in a process of its own, which the trial cannot outlive: 0, or the errno that
// `body` gives.
int TryInChild(int (*body)()) {
  const pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) ::_exit(body());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

int LowerOwnOomScore() {
  const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  constexpr std::string_view kAgentScore = "-999";
  return ::write(fd, kAgentScore.data(), kAgentScore.size()) < 0 ? errno : 0;
}

HostCheck CheckOomScore() {
  const int error = TryInChild(&LowerOwnOomScore);
  if (error == 0) return Ok("oom_score_adj", "can be lowered");
  return {.check = "oom_score_adj",
          .status = HostStatus::kDegraded,
          .found = "cannot be lowered: " + MessageOf(error),
          .cost =
              "where the kernel's OOM killer gets ahead of the agent, it may take the agent or "
              "a guaranteed pod",
          .remedy = "give the agent CAP_SYS_RESOURCE"};
}

int MountInOwnNamespace() {
  if (::unshare(CLONE_NEWNS) != 0) return errno;
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
  return ::mount("none", "/tmp", "tmpfs", 0, "size=4k") == 0 ? 0 : errno;
}

HostCheck CheckMounts() {
  const int error = TryInChild(&MountInOwnNamespace);
  if (error == 0) return Ok("mounting", "in a mount namespace of its own");
  return {
      .check = "mounting",
      .status = HostStatus::kMissing,
      .found = MessageOf(error),
      .cost = "pods with volumes do not start",
      .remedy = "run with CAP_SYS_ADMIN and without PrivateMounts or a seccomp filter on mount"};
}

HostCheck CheckMemory(const Procfs& procfs) {
  const auto memory = procfs.ReadMemory();
  if (!memory) {
    return {.check = "memory",
            .status = HostStatus::kMissing,
            .found = memory.error().message,
            .cost = "the node's capacity is unknown",
            .remedy = "mount proc"};
  }
  if (memory->huge_pages == 0) {
    return Ok("memory", Mebibytes(memory->total) + ", none of it huge pages");
  }
  return Ok("memory", fmt::format("{}, less {} of huge pages, which ordinary memory cannot use",
                                  Mebibytes(memory->total), Mebibytes(memory->huge_pages)));
}

HostCheck CheckPids(const Procfs& procfs) {
  const auto rlimit = procfs.ReadRlimit();
  if (rlimit) {
    return Ok("process ids",
              fmt::format("{} tasks of at most {}", *rlimit->running, *rlimit->max_pid));
  }
  return {.check = "process ids",
          .status = HostStatus::kMissing,
          .found = rlimit.error().message,
          .cost = "pid.available is unknown",
          .remedy = "mount proc"};
}

void AppendProcChecks(std::vector<HostCheck>& checks) {
  const auto procfs = Procfs::Open();
  if (!procfs) {
    checks.push_back({.check = "proc",
                      .status = HostStatus::kMissing,
                      .found = procfs.error().message,
                      .cost = "neither memory capacity nor process ids are known",
                      .remedy = "mount -t proc proc /proc"});
    return;
  }
  checks.push_back(CheckMemory(*procfs));
  checks.push_back(CheckPids(*procfs));
}

HostCheck CheckSwap() {
  std::ifstream swaps("/proc/swaps");
  std::string line;
  std::getline(swaps, line);  // the header
  std::string devices;
  while (std::getline(swaps, line)) {
    devices += (devices.empty() ? "" : ", ") + line.substr(0, line.find_first_of(" \t"));
  }
  if (devices.empty()) return Ok("swap", "off");
  return {.check = "swap",
          .status = HostStatus::kDegraded,
          .found = devices,
          .cost =
              "memory that is swapped out does not count as used: the node gets slow before "
              "memory.available falls",
          .remedy = "swapoff -a, and remove it from /etc/fstab"};
}

std::string TypeOf(const std::string& path) {
  struct statfs status {};
  if (::statfs(path.c_str(), &status) != 0) return "unknown";
  constexpr std::uint64_t kXfs = 0x58465342;
  constexpr std::uint64_t kZfs = 0x2fc12fc1;
  switch (static_cast<std::uint64_t>(status.f_type)) {
    case EXT4_SUPER_MAGIC: return "ext4";
    case BTRFS_SUPER_MAGIC: return "btrfs";
    case TMPFS_MAGIC: return "tmpfs";
    case OVERLAYFS_SUPER_MAGIC: return "overlay";
    case NFS_SUPER_MAGIC: return "nfs";
    case kXfs: return "xfs";
    case kZfs: return "zfs";
    default: return fmt::format("type {:#x}", static_cast<std::uint64_t>(status.f_type));
  }
}

// The root directory need not be there before the agent first runs.
std::string NearestExisting(std::filesystem::path path) {
  std::error_code ignored;
  while (path.has_relative_path() && !std::filesystem::exists(path, ignored)) {
    path = path.parent_path();
  }
  return path;
}

const std::string& NodeFsOf(const AgentConfig& config) {
  return config.node_fs.empty() ? config.root : config.node_fs;
}

HostCheck CheckFilesystem(const std::string& root) {
  const std::string path = NearestExisting(root);
  const auto stats = ReadFilesystem(path);
  const std::string check = "file system of " + root;
  if (!stats) {
    return {.check = check,
            .status = HostStatus::kMissing,
            .found = stats.error().message,
            .cost = "nodefs is unknown",
            .remedy = "set root to a directory that can be reached"};
  }
  const std::string size =
      fmt::format("{}, {} of {} available", TypeOf(path), Mebibytes(*stats->available_bytes),
                  Mebibytes(*stats->capacity_bytes));
  if (stats->inodes) {
    return Ok(check,
              fmt::format("{}, {} of {} inodes free", size, *stats->inodes_free, *stats->inodes));
  }
  return {.check = check,
          .status = HostStatus::kDegraded,
          .found = size + ", inodes not counted",
          .cost =
              "there is no nodefs.inodesFree to watch; this kind of file system cannot run out "
              "of inodes apart from its space",
          .remedy = "none needed; ext4 or xfs count inodes"};
}

// Whether the mount of that device has project quotas on, by its line of mountinfo.
bool HasProjectQuota(dev_t device) {
  const std::string id = fmt::format(" {}:{} ", major(device), minor(device));
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(id) == std::string::npos) continue;
    if (line.find("prjquota") != std::string::npos || line.find("pquota") != std::string::npos) {
      return true;
    }
  }
  return false;
}

// Nothing is lost without them: the walk works on every file system.
HostCheck CheckProjectQuota(const std::string& root) {
  const auto device = DeviceOf(NearestExisting(root));
  const bool on = device && HasProjectQuota(*device);
  return Ok("project quotas",
            on ? "on, not used: what pods occupy is measured by walking their files"
               : "off, not needed: what pods occupy is measured by walking their files");
}

// 0 when something accepts connections there, or errno.
int Connect(const std::string& socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
  socket_path.copy(address.sun_path, socket_path.size());
  const FileDescriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return errno;
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(fd.get(), generic, sizeof address) == 0 ? 0 : errno;
}

HostCheck CheckRuntime(const AgentConfig& config) {
  switch (config.runtime) {
    case RuntimeKind::kProcess: return Ok("container runtime", "process: part of the agent");
    case RuntimeKind::kCri: break;
  }
  constexpr std::string_view kScheme = "unix://";
  std::string path = config.container_runtime_endpoint;
  if (path.starts_with(kScheme)) path.erase(0, kScheme.size());
  const int error = Connect(path);
  if (error == 0) return Ok("container runtime", "cri: " + path + " answers");
  return {.check = "container runtime",
          .status = HostStatus::kMissing,
          .found = "cri: " + path + ": " + MessageOf(error),
          .cost = "no pod is run, and the eviction loop does not start",
          .remedy = "start the runtime, or correct containerRuntimeEndpoint"};
}

}  // namespace

HostCheck DiskLayoutCheck(const AgentConfig& config, const std::string& images,
                          const std::string& layers) {
  const DiskSurvey survey = SurveyDisks(
      {.node = NearestExisting(NodeFsOf(config)), .images = images, .containers = layers});
  if (survey.faults.empty()) return Ok("disk layout", Describe(survey.layout));
  return {.check = "disk layout",
          .status = HostStatus::kDegraded,
          .found = survey.faults.front(),
          .cost = "it counts as lying on nodefs, so a shortage of its own is not seen",
          .remedy = "run the agent where it sees the runtime's folders"};
}

std::vector<HostCheck> NodeChecks(const AgentConfig& config) {
  std::vector<HostCheck> checks;
  AppendProcChecks(checks);
  checks.push_back(CheckSwap());
  checks.push_back(CheckFilesystem(NodeFsOf(config)));
  checks.push_back(CheckProjectQuota(config.root));
  checks.push_back(CheckRuntime(config));
  if (config.runtime == RuntimeKind::kProcess) {
    checks.push_back(DiskLayoutCheck(config, "", ""));
    checks.push_back(CheckMounts());
  }
  checks.push_back(CheckOomScore());
  return checks;
}

}  // namespace jettison
