#include "kernel/project_quota/project_quota.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/quota.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "kernel/files/files.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// ESRCH: the quota is not enabled. ENOTTY: the file system does not support projects.
tl::unexpected<Error> Refused(const std::string& what) {
  const bool without = errno == ESRCH || errno == ENOTTY || errno == EINVAL;
  return Fail(SystemError(without ? EOPNOTSUPP : errno, what));
}

Result<FileDescriptor> OpenFolder(const std::string& folder) {
  FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return FailErrno("open " + folder);
  return fd;
}

Result<FsUsage> UsageOn(int fd, ProjectId project) {
  if_dqblk quota{};
  const auto command = static_cast<unsigned>(QCMD(Q_GETQUOTA, PRJQUOTA));
  if (::syscall(SYS_quotactl_fd, fd, command, project, &quota) != 0) {
    return Refused("project quota");
  }
  return FsUsage{.used_bytes = quota.dqb_curspace, .inodes_used = quota.dqb_curinodes};
}

// A project in use has at least one inode.
Result<bool> IsFree(int fd, ProjectId project) {
  const auto usage = UsageOn(fd, project);
  // xfs returns an error for a project that was never used.
  if (!usage && usage.error().code == ErrorCode::kNotFound) return true;
  if (!usage) return Fail(usage.error());
  return usage->inodes_used == 0U && usage->used_bytes == 0U;
}

// Each search begins behind the last one's find, on whichever file system that was, and goes on
// from kFirstProject.
Result<ProjectId> FreeProject(int fd) {
  constexpr ProjectId kTries = 100'000;
  static std::atomic<ProjectId> next{0};
  for (ProjectId i = 0; i < kTries; ++i) {
    const ProjectId project = kFirstProject + (next + i) % kTries;
    const auto free = IsFree(fd, project);
    if (!free) return Fail(free.error());
    if (!*free) continue;
    next = next + i + 1;
    return project;
  }
  return Fail(ErrorCode::kUnavailable, "no project is free");
}

// Whether it is a project of ours, which what is made in the folder inherits.
bool HandsDown(const fsxattr& attributes) {
  return (attributes.fsx_xflags & FS_XFLAG_PROJINHERIT) != 0 &&
         attributes.fsx_projid >= kFirstProject;
}

}  // namespace

Result<std::optional<ProjectId>> ProjectOf(const std::string& folder) {
  const auto fd = OpenFolder(folder);
  if (!fd) return Fail(fd.error());
  fsxattr attributes{};
  if (::ioctl(fd->get(), FS_IOC_FSGETXATTR, &attributes) != 0)
    return Refused("project of " + folder);
  if (!HandsDown(attributes)) return std::nullopt;
  return attributes.fsx_projid;
}

Result<FsUsage> ReadProjectUsage(const std::string& path, ProjectId project) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return FailErrno("open " + path);
  auto usage = UsageOn(fd.get(), project);
  if (!usage) return Fail(usage.error().In(path));
  return usage;
}

Result<ProjectId> AssignProject(const std::string& folder) {
  const auto fd = OpenFolder(folder);
  if (!fd) return Fail(fd.error());
  const auto names = kernel::NamesIn(folder);
  if (!names) return Fail(names.error());
  if (!names->empty()) return Fail(ErrorCode::kInvalidArgument, folder + " is not empty");
  fsxattr attributes{};
  if (::ioctl(fd->get(), FS_IOC_FSGETXATTR, &attributes) != 0)
    return Refused("project of " + folder);
  if (HandsDown(attributes)) return attributes.fsx_projid;
  auto project = FreeProject(fd->get());
  if (!project) return Fail(project.error().In(folder));
  attributes.fsx_projid = *project;
  attributes.fsx_xflags |= FS_XFLAG_PROJINHERIT;
  if (::ioctl(fd->get(), FS_IOC_FSSETXATTR, &attributes) != 0)
    return Refused("project of " + folder);
  return project;
}

// Writable layers get no project: overlay moves files between two of its own folders, which is not
// allowed between two projects.
void AssignProjects(const PodDisk& disk) {
  for (const PodDisk::LocalVolume& volume : disk.empty_dirs) {
    // If this fails, a walk gives the same figure.
    if (!volume.memory) static_cast<void>(AssignProject(volume.path));
  }
}

}  // namespace jettison
