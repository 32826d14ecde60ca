#include "runtimes/process/shim/container_process.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernel/mounts/sub_path.h"

namespace jettison::shim {
namespace {

[[noreturn]] void GiveUp(int report_fd, const Failure& failure) {
  const Report report{.fatal = true, .failure = failure};
  (void)!write(report_fd, &report, sizeof(report));
  _exit(127);
}

bool WriteOomScoreAdj(std::int64_t value) {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[32];
  const int size = std::snprintf(text, sizeof(text), "%lld", static_cast<long long>(value));
  const bool written = write(fd, text, static_cast<std::size_t>(size)) == size;
  const int error = errno;
  close(fd);
  errno = error;
  return written;
}

// Without CAP_SYS_RESOURCE the value cannot be lowered: then 0 is the nearest to a negative one.
int SetOomScoreAdj(std::int64_t value) {
  if (WriteOomScoreAdj(value)) return 0;
  const int error = errno;
  if (value < 0) (void)WriteOomScoreAdj(0);
  return error;
}

void ResetSignals() {
  struct sigaction by_default = {};
  by_default.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &by_default, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

const char* PathOf(const Order& order) {
  for (std::size_t i = 0; i < order.env.count; ++i) {
    if (std::strncmp(order.env.items[i], "PATH=", 5) == 0) return order.env.items[i] + 5;
  }
  return "";
}

// Executes the program; a name without a slash is looked up in the container's own PATH. Returns
// only on failure, with the most informative errno.
void Execute(const Order& order) {
  const char* const program = order.args.items[0];
  if (std::strchr(program, '/') != nullptr) {
    execve(program, order.args.items, order.env.items);
    return;
  }
  int error = ENOENT;
  for (const char* entry = PathOf(order); entry != nullptr && *program != '\0';) {
    const char* const colon = std::strchr(entry, ':');
    const auto size = static_cast<int>(colon == nullptr ? std::strlen(entry)
                                                        : static_cast<std::size_t>(colon - entry));
    char path[PATH_MAX];
    // An empty entry would mean the current folder, which is hardly intended.
    if (size > 0 && std::snprintf(path, sizeof(path), "%.*s/%s", size, entry, program) <
                        static_cast<int>(sizeof(path))) {
      execve(path, order.args.items, order.env.items);
      if (errno != ENOENT && errno != ENOTDIR) error = errno;
    }
    entry = colon == nullptr ? nullptr : colon + 1;
  }
  errno = error;
}

int OpenSource(const MountOrder& mount) {
  const int root = open(mount.source, O_PATH | O_CLOEXEC);
  if (root < 0 || mount.sub_path == nullptr) return root;
  const int fd = kernel::OpenSubPath(root, mount.source, mount.sub_path, mount.kept_by_operator);
  const int error = errno;
  close(root);
  errno = error;
  return fd;
}

bool MakeMountPoint(const char* path, bool directory) {
  struct stat facts;
  if (stat(path, &facts) == 0) return true;
  if (errno != ENOENT) return false;
  if (directory) return mkdir(path, 0755) == 0 || errno == EEXIST;
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return errno == EEXIST;
  close(fd);
  return true;
}

// Makes the mount point and its parent folders.
bool MakeTarget(const MountOrder& mount, int source) {
  struct stat facts;
  if (fstat(source, &facts) != 0) return false;
  char path[PATH_MAX];
  const std::size_t length = std::strlen(mount.target);
  if (length >= sizeof(path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  std::memcpy(path, mount.target, length + 1);
  for (char* slash = std::strchr(path + 1, '/'); slash != nullptr;
       slash = std::strchr(slash + 1, '/')) {
    *slash = '\0';
    if (!MakeMountPoint(path, true)) return false;
    *slash = '/';
  }
  return MakeMountPoint(path, S_ISDIR(facts.st_mode));
}

// Replaces the descriptor of a source by the mount of it.
bool Attach(const MountOrder& mount, int& fd) {
  const int tree = static_cast<int>(
      syscall(SYS_open_tree, fd, "", AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE | O_CLOEXEC));
  if (tree < 0) return false;
  close(fd);
  fd = tree;
  return syscall(SYS_move_mount, tree, "", AT_FDCWD, mount.target,
                 MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS) == 0;
}

bool MakeReadOnly(int tree) {
  struct mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  return syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                 sizeof(attributes)) == 0;
}

bool Say(Failure& failure, Stage stage, const char* detail) {
  failure = {.stage = stage, .error = errno, .detail = detail};
  return false;
}

// The sources are opened before the first mount may hide one of them, and made read-only after the
// last, so that a mount point within a read-only volume can still be made.
bool MountAll(const Order& order, int* fds, Failure& failure) {
  const auto& mounts = order.mounts;
  for (std::size_t i = 0; i < mounts.count; ++i) {
    fds[i] = OpenSource(mounts.items[i]);
    if (fds[i] < 0) {
      const MountOrder& mount = mounts.items[i];
      return Say(failure, Stage::kSource,
                 mount.sub_path != nullptr ? mount.sub_path : mount.source);
    }
  }
  for (std::size_t i = 0; i < mounts.count; ++i) {
    const MountOrder& mount = mounts.items[i];
    if (!MakeTarget(mount, fds[i])) return Say(failure, Stage::kMountPoint, mount.target);
    if (!Attach(mount, fds[i])) return Say(failure, Stage::kMount, mount.target);
  }
  for (std::size_t i = 0; i < mounts.count; ++i) {
    const MountOrder& mount = mounts.items[i];
    if (mount.read_only && !MakeReadOnly(fds[i])) return Say(failure, Stage::kMount, mount.target);
  }
  return true;
}

// Moves the caller into a mount namespace of its own and mounts the order's volumes there, in their
// order. Mounts that the host makes or undoes later still reach the namespace, nothing gets out of
// it: a volume that the host unmounts is not kept alive by a container that never asked for it.
// Without the right to make a namespace it goes on as long as nothing is to be mounted.
bool MountVolumes(const Order& order, Failure& failure) {
  if (unshare(CLONE_NEWNS) != 0) {
    if (errno == EPERM && order.mounts.count == 0) return true;
    return Say(failure, Stage::kMountNamespace, "");
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
    return Say(failure, Stage::kMountNamespace, "");
  }
  if (order.mounts.count == 0) return true;
  auto* const fds = static_cast<int*>(std::calloc(order.mounts.count, sizeof(int)));
  if (fds == nullptr) return Say(failure, Stage::kMount, "");
  const bool mounted = MountAll(order, fds, failure);
  for (std::size_t i = 0; mounted && i < order.mounts.count; ++i) close(fds[i]);
  std::free(fds);
  return mounted;
}

// Joins the mount namespace that a hook's shim was started with.
bool JoinMountNamespace(Failure& failure) {
  // If the shim may not join the namespace, the container could not make one either, so it shares
  // the host's.
  if (setns(kNamespaceFile, CLONE_NEWNS) == 0 || errno == EPERM) return true;
  return Say(failure, Stage::kMountNamespace, "");
}

void EnterFolders(const Order& order, int report_fd) {
  const auto enter = [&](const char* path) {
    if (chdir(path) != 0) {
      GiveUp(report_fd, {.stage = Stage::kWorkingDirectory, .error = errno, .detail = path});
    }
  };
  // A hook enters its folder in the container's namespace. A container enters its own folder before
  // a volume may hide it.
  Failure failure;
  if (order.mode == Mode::kHook) {
    if (!JoinMountNamespace(failure)) GiveUp(report_fd, failure);
    enter(order.working_dir != nullptr ? order.working_dir : order.scratch_dir);
    return;
  }
  enter(order.scratch_dir);
  if (!MountVolumes(order, failure)) GiveUp(report_fd, failure);
  if (order.working_dir != nullptr) enter(order.working_dir);
}

}  // namespace

void BecomeProgram(const Order& order, const ProcessEnds& ends, pid_t shim) {
  // Without its shim, nothing would read the container's output or record its end.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != shim) _exit(127);
  setsid();
  char byte = 0;
  ssize_t n = 0;
  while ((n = read(ends.gate, &byte, 1)) < 0 && errno == EINTR) {
  }
  if (n != 1) _exit(127);

  const int oom_adj_error = SetOomScoreAdj(order.oom_score_adj);
  if (oom_adj_error != 0) {
    const Report report{.fatal = false, .oom_adj_error = oom_adj_error, .failure = {}};
    (void)!write(ends.report, &report, sizeof(report));
  }
  EnterFolders(order, ends.report);
  ResetSignals();
  if (ends.out >= 0 && dup2(ends.out, STDOUT_FILENO) < 0) _exit(127);
  if (ends.err >= 0 && dup2(ends.err, STDERR_FILENO) < 0) _exit(127);
  Execute(order);
  GiveUp(ends.report, {.stage = Stage::kExec, .error = errno, .detail = order.args.items[0]});
}

}  // namespace jettison::shim
