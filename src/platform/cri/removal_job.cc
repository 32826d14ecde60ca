#include "platform/cri/removal_job.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "platform/cri/tree_removal.h"
#include "pod_host/pidfd.h"
#include "ports/system_error.h"

namespace jettison::cri {
namespace {

// The child's whole life. It keeps nothing of the agent's open: a lock or a socket must not outlive
// the agent in it.
[[noreturn]] void Delete(const RemovalOrder& order) {
  (void)::syscall(SYS_close_range, 0, ~0U, 0);
  int error = order.volumes.empty() ? 0 : EmptyMemoryVolumes(order.volumes.c_str());
  for (const std::string& tree : order.trees) {
    const int failed = RemoveTree(tree.c_str());
    if (error == 0) error = failed;
  }
  ::_exit(error);
}

}  // namespace

Result<std::unique_ptr<RemovalJob>> RemovalJob::Start(pod_host::Readiness& readiness,
                                                      const RemovalOrder& order, Done done) {
  // Without the handlers that libraries run at a fork: the child calls none of them.
  const pid_t pid = ::_Fork();
  if (pid < 0) return FailErrno("start a process that deletes files");
  if (pid == 0) Delete(order);
  FileDescriptor child = pod_host::OpenPidfd(pid);
  if (!child) {
    const auto failed = FailErrno("open a handle of a process that deletes files");
    (void)::waitpid(pid, nullptr, 0);
    return failed;
  }
  std::unique_ptr<RemovalJob> job(new RemovalJob(std::move(child), std::move(done)));
  job->on_end_ = readiness.OnReadable(job->child_.get(), [job = job.get()] { job->OnEnded(); });
  return job;
}

RemovalJob::~RemovalJob() {
  if (!child_) return;
  pod_host::SendSignal(child_, SIGKILL);
  siginfo_t ignored{};
  (void)::waitid(P_PIDFD, static_cast<id_t>(child_.get()), &ignored, WEXITED);
}

void RemovalJob::OnEnded() {
  siginfo_t status{};
  if (::waitid(P_PIDFD, static_cast<id_t>(child_.get()), &status, WEXITED | WNOHANG) != 0 ||
      status.si_pid == 0) {
    return;
  }
  on_end_.Stop();
  child_.Close();
  const Done done = std::move(done_);
  if (status.si_code != CLD_EXITED) {
    done(Fail(ErrorCode::kInternal, "the process that deletes files was killed"));
  } else if (status.si_status != 0) {
    done(Fail(SystemError(status.si_status, "delete files")));
  } else {
    done({});
  }
}

}  // namespace jettison::cri
