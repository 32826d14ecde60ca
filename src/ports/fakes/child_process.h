#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>

#include "ports/file_descriptor.h"

namespace jettison {

// A real process for live tests: forked at once, started on demand, killed and reaped when the
// object is destroyed. It also dies with the thread that made it.
class ChildProcess {
 public:
  // `body` runs in the child after Start; it may call what it is given to tell AwaitReady. The
  // child exits with status 0 when the body returns.
  explicit ChildProcess(const std::function<void(const std::function<void()>& ready)>& body);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  void Start();
  // Waits until the body has called `ready`; false when the child ended before.
  [[nodiscard]] bool AwaitReady();
  // Waits for the end; the status as waitpid(2) gives it.
  int Wait();

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool reaped_ = false;
  FileDescriptor start_;
  FileDescriptor ready_;
};

// Runs `body` in a process of its own and gives its exit status. The other one's mounts are its own
// and end with it; 2: it cannot have such.
[[nodiscard]] int InChild(const std::function<int()>& body);
[[nodiscard]] int InOwnMounts(const std::function<int()>& body);

// Bodies. Sleeps until killed.
void SleepForever();
// Maps `bytes`, writes every page and keeps them.
void TouchMemory(std::size_t bytes);

}  // namespace jettison
