#include "pods/child_job.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "kernel/readiness/pidfd.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// All that the child does. It closes all descriptors of the agent, because a lock or a socket must
// not outlive the agent in the child. It ends with the agent: the next one may make a pod where
// this child deletes one.
[[noreturn]] void RunChild(pid_t agent, const ChildJob::Work& work) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != agent) ::_exit(ECHILD);
  (void)::syscall(SYS_close_range, 0, ~0U, 0);
  ::_exit(work());
}

}  // namespace

Result<std::unique_ptr<ChildJob>> ChildJob::Start(kernel::Readiness& readiness, std::string what,
                                                  const Work& work, Done done) {
  // Skips the fork handlers of libraries, because the child calls no library.
  const pid_t agent = ::getpid();
  const pid_t pid = ::_Fork();
  if (pid < 0) return FailErrno("start a process to " + what);
  if (pid == 0) RunChild(agent, work);
  FileDescriptor child = kernel::OpenPidfd(pid);
  if (!child) {
    const auto failed = FailErrno("open a handle of the process to " + what);
    ::kill(pid, SIGKILL);  // its work may take minutes
    (void)::waitpid(pid, nullptr, 0);
    return failed;
  }
  std::unique_ptr<ChildJob> job(new ChildJob(std::move(child), std::move(what), std::move(done)));
  job->on_end_ = readiness.OnReadable(job->child_.get(), [job = job.get()] { job->OnEnded(); });
  return job;
}

ChildJob::~ChildJob() {
  if (!child_) return;
  kernel::SendSignal(child_, SIGKILL);
  siginfo_t ignored{};
  (void)::waitid(P_PIDFD, static_cast<id_t>(child_.get()), &ignored, WEXITED);
}

void ChildJob::Kill() {
  if (child_) kernel::SendSignal(child_, SIGKILL);
}

// The callback may destroy the job.
void ChildJob::OnEnded() {
  siginfo_t status{};
  if (::waitid(P_PIDFD, static_cast<id_t>(child_.get()), &status, WEXITED | WNOHANG) != 0 ||
      status.si_pid == 0) {
    return;
  }
  on_end_.Stop();
  child_.Close();
  const Done done = std::move(done_);
  const std::string what = std::move(what_);
  if (status.si_code != CLD_EXITED) {
    done(Fail(ErrorCode::kInternal, what + ": the process was killed"));
  } else if (status.si_status != 0) {
    done(Fail(SystemError(status.si_status, what)));
  } else {
    done({});
  }
}

}  // namespace jettison
