#pragma once

#include <poll.h>
#include <pty.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "ports/file_descriptor.h"

namespace jettison {

// A terminal with a program on it, as somebody at a keyboard has it.
class Terminal {
 public:
  // `environment` is added to the test's own, as "NAME=value".
  Terminal(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
           int columns, int rows) {
    const winsize size = SizeOf(columns, rows);
    int terminal = -1;
    pid_ = ::forkpty(&terminal, nullptr, nullptr, &size);
    if (pid_ == 0) Become(arguments, environment);
    terminal_ = FileDescriptor(terminal);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  // Reads until `text` is written, behind what was waited for before; false when it is not within
  // ten seconds. It stands in one colour.
  bool WaitFor(const std::string& text) {
    const auto deadline = Clock::now() + kPatience;
    std::size_t at = std::string::npos;
    while ((at = output_.find(text, seen_)) == std::string::npos && Clock::now() < deadline) {
      ReadMore(100);
    }
    if (at != std::string::npos) seen_ = at;
    return at != std::string::npos;
  }
  void Type(const std::string& keys) const {
    if (::write(terminal_.get(), keys.data(), keys.size()) < 0) std::abort();
  }
  void Signal(int signal) const { ::kill(pid_, signal); }
  // Waits for the end: its exit status, 128 + n after signal n, -1 where it does not end.
  int Wait() {
    const auto deadline = Clock::now() + kPatience;
    while (Clock::now() < deadline) {
      int status = 0;
      ReadMore(20);
      if (::waitpid(pid_, &status, WNOHANG) != pid_) continue;
      pid_ = -1;
      while (ReadMore(0)) {
      }
      return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    return -1;
  }

  // Everything that was written.
  [[nodiscard]] const std::string& output() const { return output_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kPatience = std::chrono::seconds(10);

  [[noreturn]] static void Become(const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& environment) {
    for (const std::string& variable : environment) ::putenv(::strdup(variable.c_str()));
    std::vector<char*> pointers;
    for (const std::string& argument : arguments) pointers.push_back(::strdup(argument.c_str()));
    pointers.push_back(nullptr);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }

  static winsize SizeOf(int columns, int rows) {
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = static_cast<unsigned short>(rows);
    return size;
  }

  bool ReadMore(int milliseconds) {
    pollfd source{.fd = terminal_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&source, 1, milliseconds) != 1) return false;
    std::array<char, 4096> bytes{};
    const ssize_t size = ::read(terminal_.get(), bytes.data(), bytes.size());
    if (size <= 0) return false;  // EIO: the program has ended
    output_.append(bytes.data(), static_cast<std::size_t>(size));
    return true;
  }

  pid_t pid_ = -1;
  FileDescriptor terminal_;
  std::string output_;
  std::size_t seen_ = 0;  // of it
};

}  // namespace jettison
