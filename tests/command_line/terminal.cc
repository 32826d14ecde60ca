#include "tests/command_line/terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <string_view>

namespace jettison {
namespace {

constexpr auto kPatience = std::chrono::seconds(10);

[[noreturn]] void Become(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment) {
  for (const std::string& variable : environment) ::putenv(::strdup(variable.c_str()));
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(::strdup(argument.c_str()));
  pointers.push_back(nullptr);
  ::execv(pointers[0], pointers.data());
  ::_exit(127);
}

winsize SizeOf(int columns, int rows) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  return size;
}

}  // namespace

Terminal::Terminal(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment, int columns, int rows) {
  const winsize size = SizeOf(columns, rows);
  int terminal = -1;
  pid_ = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (pid_ == 0) Become(arguments, environment);
  terminal_ = FileDescriptor(terminal);
}

Terminal::~Terminal() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool Terminal::ReadMore(int milliseconds) {
  pollfd source{.fd = terminal_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&source, 1, milliseconds) != 1) return false;
  std::array<char, 4096> bytes{};
  const ssize_t size = ::read(terminal_.get(), bytes.data(), bytes.size());
  if (size <= 0) return false;  // EIO: the program has ended
  output_.append(bytes.data(), static_cast<std::size_t>(size));
  return true;
}

bool Terminal::WaitFor(const std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  do {
    for (const std::string& line : Screen()) {
      if (line.find(text) != std::string::npos) return true;
    }
    ReadMore(100);
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

void Terminal::Type(const std::string& keys) const {
  if (::write(terminal_.get(), keys.data(), keys.size()) < 0) std::abort();
}

void Terminal::Signal(int signal) const {
  ::kill(pid_, signal);
}

int Terminal::Wait() {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
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

// Between the last two moves to the corner that have a whole picture behind them.
std::vector<std::string> Terminal::Screen() const {
  constexpr std::string_view kEnd = "\x1b[?2026l";
  static const std::regex kEscape("\x1b\\[[0-9;?]*[A-Za-z]");
  std::vector<std::string> lines;
  const std::size_t end = output_.rfind(kEnd);
  if (end == std::string::npos) return lines;
  const std::size_t begin = output_.rfind("\x1b[H", end);
  std::string text = std::regex_replace(output_.substr(begin, end - begin), kEscape, std::string());
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t next = std::min(text.find("\r\n", at), text.size());
    lines.push_back(text.substr(at, next - at));
    at = next + 2;
  }
  return lines;
}

}  // namespace jettison
