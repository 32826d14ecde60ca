#include "ports/fakes/child_process.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace jettison {
namespace {

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};

Pipe MakePipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

bool ReadByte(int fd) {
  char byte = 0;
  ssize_t count = 0;
  do {
    count = ::read(fd, &byte, 1);
  } while (count < 0 && errno == EINTR);
  return count == 1;
}

void WriteByte(int fd) {
  if (::write(fd, "x", 1) != 1) ::_exit(1);
}

}  // namespace

ChildProcess::ChildProcess(const std::function<void(const std::function<void()>& ready)>& body) {
  Pipe start = MakePipe();
  Pipe ready = MakePipe();
  pid_ = ::fork();
  if (pid_ < 0) std::abort();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    start.write.Close();
    ready.read.Close();
    if (ReadByte(start.read.get())) body([fd = ready.write.get()] { WriteByte(fd); });
    ::_exit(0);
  }
  start_ = std::move(start.write);
  ready_ = std::move(ready.read);
}

ChildProcess::~ChildProcess() {
  if (reaped_) return;
  ::kill(pid_, SIGKILL);
  Wait();
}

void ChildProcess::Start() {
  WriteByte(start_.get());
}

bool ChildProcess::AwaitReady() {
  return ReadByte(ready_.get());
}

int ChildProcess::Wait() {
  while (!reaped_) {
    const pid_t reaped = ::waitpid(pid_, &status_, 0);
    reaped_ = reaped == pid_ || errno != EINTR;
  }
  return status_;
}

int InChild(const std::function<int()>& body) {
  ChildProcess child([&](const auto& /*ready*/) { ::_exit(body()); });
  child.Start();
  return WEXITSTATUS(child.Wait());
}

int InOwnMounts(const std::function<int()>& body) {
  return InChild([&] {
    const bool own = ::unshare(CLONE_NEWNS) == 0 &&
                     ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    return own ? body() : 2;
  });
}

void SleepForever() {
  while (true) ::pause();
}

void TouchMemory(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) ::_exit(1);
  for (std::size_t at = 0; at < bytes; at += kPage) static_cast<volatile char*>(memory)[at] = 1;
}

}  // namespace jettison
