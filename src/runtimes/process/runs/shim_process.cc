#include "runtimes/process/runs/shim_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "kernel/readiness/pidfd.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"
#include "runtimes/process/runs/run_record.h"

namespace jettison::process {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;

// To touch a page of a file that has become shorter, or that the disk does not give, is SIGBUS;
// these calls return an error instead. The first (Linux 5.14) has the pages mapped where memory may
// not be locked: the kernel takes them later than pages that nobody has mapped.
void ReadIn(void* pages, std::size_t bytes) {
  (void)::madvise(pages, bytes, MADV_POPULATE_READ);
  (void)::mlock(pages, bytes);
}

// Descriptors for a shim must be above the numbers that they get in the shim.
constexpr int kClearOfTargets = shim::kFirstGroupFile + shim::kMostGroupFiles;

Result<FileDescriptor> ClearCopy(const FileDescriptor& fd) {
  FileDescriptor clear(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kClearOfTargets));
  if (!clear) return FailErrno("hand a descriptor to a shim");
  return clear;
}

Result<FileDescriptor> Clear(FileDescriptor fd) {
  if (fd.get() >= kClearOfTargets) return fd;
  return ClearCopy(fd);
}

// Without a handle, nothing would wait for the shim. It has not been told to start, so it has
// started nothing that outlives it.
void GiveUp(pid_t pid) {
  (void)::kill(pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<FileDescriptor> OrderFile(const std::string& order) {
  FileDescriptor file(::memfd_create("jettison-order", MFD_CLOEXEC));
  if (!file) return FailErrno("memfd_create");
  for (std::size_t done = 0; done < order.size();) {
    const ssize_t n = ::write(file.get(), order.data() + done, order.size() - done);
    if (n < 0) return FailErrno("write the order");
    done += static_cast<std::size_t>(n);
  }
  return Clear(std::move(file));
}

Result<void> ClearAll(std::vector<ProcsFile>& groups) {
  if (groups.size() > shim::kMostGroupFiles) {
    return Fail(ErrorCode::kInternal, "a process joins more groups than a shim can be handed");
  }
  for (ProcsFile& group : groups) {
    auto clear = Clear(std::move(group.file));
    if (!clear) return Fail(clear.error());
    group.file = std::move(*clear);
  }
  return {};
}

// While this object exists, processes that the thread starts inherit its priority. The thread waits
// until a spawned process has executed its program, which must not be delayed by other processes.
// The shim returns to normal priority as soon as it runs.
class PriorityPassedOn {
 public:
  PriorityPassedOn() : policy_(::sched_getscheduler(0)) {
    (void)::sched_getparam(0, &param_);
    if (IsKept()) Set(policy_ & ~SCHED_RESET_ON_FORK);
  }
  PriorityPassedOn(const PriorityPassedOn&) = delete;
  PriorityPassedOn& operator=(const PriorityPassedOn&) = delete;
  ~PriorityPassedOn() {
    if (IsKept()) Set(policy_);
  }

 private:
  [[nodiscard]] bool IsKept() const { return policy_ >= 0 && (policy_ & SCHED_RESET_ON_FORK) != 0; }
  void Set(int policy) const { (void)::sched_setscheduler(0, policy, &param_); }

  const int policy_;
  sched_param param_{};
};

// Descriptors that a shim inherits.
struct Inherited {
  int socket = -1;
  int order = -1;
  int mount_namespace = -1;  // -1: none
  const std::vector<ProcsFile>& groups;
};

// Gives an errno value or 0, and the new process.
int Spawn(const std::string& program, const std::string& label, const Inherited& inherited,
          pid_t& pid) {
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  for (int fd = 0; fd <= 2; ++fd) {
    ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  ::posix_spawn_file_actions_adddup2(&actions, inherited.socket, shim::kAgentSocket);
  ::posix_spawn_file_actions_adddup2(&actions, inherited.order, shim::kOrderFile);
  if (inherited.mount_namespace >= 0) {
    ::posix_spawn_file_actions_adddup2(&actions, inherited.mount_namespace, shim::kNamespaceFile);
  } else {
    ::posix_spawn_file_actions_addclose(&actions, shim::kNamespaceFile);
  }
  int next = shim::kFirstGroupFile;
  for (const ProcsFile& group : inherited.groups) {
    ::posix_spawn_file_actions_adddup2(&actions, group.file.get(), next++);
  }
  ::posix_spawn_file_actions_addclosefrom_np(&actions, next);

  posix_spawnattr_t attributes{};
  ::posix_spawnattr_init(&attributes);
  sigset_t signals;
  ::sigfillset(&signals);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  ::sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  std::string name = "jettison-shim";
  std::string about = label;
  std::array<char*, 3> arguments = {name.data(), about.data(), nullptr};
  std::array<char*, 1> environment = {nullptr};
  const PriorityPassedOn as_the_loop;
  const int error = ::posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments.data(),
                                  environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return error;
}

// Whether another try may succeed because the machine has more by then.
bool IsShortage(int error) {
  return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE ||
         error == ENOSPC || error == EDQUOT;
}

StartFailure FailureAt(shim::Stage stage) {
  switch (stage) {
    case shim::Stage::kSource: return StartFailure::kConfig;  // the kubelet looks before it creates
    case shim::Stage::kMountNamespace:
    case shim::Stage::kMountPoint:
    case shim::Stage::kMount:
    case shim::Stage::kWorkingDirectory:
    case shim::Stage::kExec: return StartFailure::kRun;
    default: return StartFailure::kCreate;
  }
}

}  // namespace

ResidentProgram::ResidentProgram(const std::string& path) {
  const FileDescriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));  // it may be a FIFO
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const std::size_t bytes = std::min(static_cast<std::size_t>(status.st_size), kMostBytes);
  if (bytes == 0) return;
  void* const pages = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (pages == MAP_FAILED) return;
  pages_ = pages;
  bytes_ = bytes;
  ReadIn(pages_, bytes_);
}

ResidentProgram::~ResidentProgram() {
  if (pages_ != nullptr) ::munmap(pages_, bytes_);
}

Result<ShimProcess> ShimProcess::Start(const std::string& shim_path, const std::string& order,
                                       const std::string& label, HandedToShim handed) {
  auto order_file = OrderFile(order);
  if (!order_file) return Fail(order_file.error());
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return FailErrno("socketpair");
  }
  ShimProcess started;
  started.socket_ = FileDescriptor(ends[0]);
  const auto far_end = Clear(FileDescriptor(ends[1]));
  if (!far_end) return Fail(far_end.error());
  auto handed_namespace = Result<FileDescriptor>();
  if (handed.mount_namespace != nullptr) handed_namespace = ClearCopy(*handed.mount_namespace);
  if (!handed_namespace) return Fail(handed_namespace.error());
  if (auto clear = ClearAll(handed.groups); !clear) return Fail(clear.error());
  const int error = Spawn(shim_path, label,
                          {.socket = far_end->get(),
                           .order = order_file->get(),
                           .mount_namespace = handed_namespace->get(),
                           .groups = handed.groups},
                          started.pid_);
  if (error != 0) return Fail(SystemError(error, "start " + shim_path));
  started.pidfd_ = kernel::OpenPidfd(started.pid_);
  if (!started.pidfd_) {
    const auto failed = FailErrno("pidfd_open of a shim");
    GiveUp(started.pid_);
    return failed;
  }
  return started;
}

Result<std::optional<shim::Message>> ShimProcess::Receive() {
  shim::Message message;
  const ssize_t n = ::recv(socket_.get(), &message, sizeof(message), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (n != sizeof(message)) return Fail(ErrorCode::kUnavailable, "the shim has hung up");
  message.detail[sizeof(message.detail) - 1] = '\0';
  return message;
}

std::optional<int> ShimProcess::Reap() {
  siginfo_t info{};
  const auto id = static_cast<id_t>(pidfd_.get());
  if (::waitid(P_PIDFD, id, &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) {
    return std::nullopt;
  }
  return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

std::vector<std::string> NamesOf(const std::vector<ProcsFile>& groups) {
  std::vector<std::string> names;
  for (const ProcsFile& group : groups) names.push_back(group.name);
  return names;
}

Error ErrorOf(const shim::Message& message) {
  const std::string_view detail = message.detail;
  const auto what = [&]() -> std::string {
    switch (message.stage) {
      case shim::Stage::kOrder: return "the shim does not understand its order";
      case shim::Stage::kState: return fmt::format("write the state file \"{}\"", detail);
      case shim::Stage::kLog: return fmt::format("open the log {}", detail);
      case shim::Stage::kFork: return "start a process";
      case shim::Stage::kGroup:
        return fmt::format("{}: join {}{}", kIntoGroups, detail,
                           message.error == EBUSY
                               ? ": a group that gives controllers to groups below takes none"
                               : "");
      case shim::Stage::kMountNamespace: return "make a mount namespace";
      case shim::Stage::kSource: return fmt::format("open \"{}\" to mount it", detail);
      case shim::Stage::kMountPoint: return fmt::format("make the mount point {}", detail);
      case shim::Stage::kMount: return fmt::format("mount at {}", detail);
      case shim::Stage::kWorkingDirectory: return fmt::format("change to folder {}", detail);
      case shim::Stage::kExec: return fmt::format("cannot execute \"{}\"", detail);
    }
    return "an unknown step";
  }();
  return SystemError(message.error, what);
}

StartError StartErrorOf(const shim::Message& message) {
  return {IsShortage(message.error) ? StartFailure::kCreate : FailureAt(message.stage),
          ErrorOf(message)};
}

}  // namespace jettison::process
