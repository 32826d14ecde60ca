// jettison-shim: the process beside one container, started by the agent with an order as descriptor
// 4 and a socket to the agent as descriptor 3; for a hook with a mount namespace as descriptor 5.
// The files by which its process joins its groups follow. It outlives the agent.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "runtimes/process/shim/agent_link.h"
#include "runtimes/process/shim/order.h"
#include "runtimes/process/shim/protocol.h"
#include "runtimes/process/shim/run.h"

namespace jettison::shim {
namespace {

// Maps the order. The mapping is never removed, because the strings point into it.
bool ReadOrder(Order& order) {
  struct stat facts;
  if (fstat(kOrderFile, &facts) != 0 || facts.st_size <= 0) return false;
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, kOrderFile, 0);
  if (data == MAP_FAILED) return false;
  close(kOrderFile);
  if (ParseOrder(static_cast<char*>(data), size, order)) return true;
  errno = EINVAL;
  return false;
}

// The shim has inherited the high priority of the agent's loop.
void TakeOrdinaryPriority() {
  const sched_param none{};
  if (sched_getscheduler(0) == SCHED_FIFO) (void)sched_setscheduler(0, SCHED_OTHER, &none);
  if (getpriority(PRIO_PROCESS, 0) < 0) (void)setpriority(PRIO_PROCESS, 0, 0);
}

void PrepareProcess() {
  fcntl(kAgentSocket, F_SETFD, FD_CLOEXEC);
  // The shim handles the output that the container's children leave behind, and their ends.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  TakeSignals();
  // A signal to the agent by name or by process group must not end the shim, too; nor must a log
  // that has reached a limit of the agent's service on files.
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2}) {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(signal, &ignore, nullptr);
  }
  umask(022);
  (void)!chdir("/");
}

// The program of the sandboxes of measurements, which keeps a pod's namespaces while its
// containers start and end. As the first process of its namespace it also reaps orphans.
[[noreturn]] void Pause() {
  signal(SIGCHLD, SIG_IGN);
  for (const int ending : {SIGTERM, SIGINT}) {
    signal(ending, [](int) { _exit(0); });
  }
  while (true) pause();
}

int Main() {
  TakeOrdinaryPriority();
  if (fcntl(kAgentSocket, F_GETFD) < 0 || fcntl(kOrderFile, F_GETFD) < 0) {
    std::fputs("jettison-shim is started by jettison, never by hand\n", stderr);
    return 2;
  }
  PrepareProcess();
  Order order;
  if (!ReadOrder(order)) {
    TellFailed({.stage = Stage::kOrder, .error = errno, .detail = ""});
    return 2;
  }
  KeepGroupFiles(order);
  if (order.mode == Mode::kRun) return RunContainer(order);
  fcntl(kNamespaceFile, F_SETFD, FD_CLOEXEC);
  return RunHook(order);
}

}  // namespace
}  // namespace jettison::shim

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--pause") == 0) jettison::shim::Pause();
  return jettison::shim::Main();
}
