#include "tests/live/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace jettison {
namespace {

namespace fs = std::filesystem;

constexpr int kSilenceLimitMs = 60'000;
constexpr std::chrono::minutes kLongestWait{2};  // for a line of a program that is never silent

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> EnvironmentWith(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** variable = environ; *variable != nullptr; ++variable) all.emplace_back(*variable);
  return all;
}

int ExitStatus(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

void AppendLinesWith(const std::string& file, const std::string& text,
                     std::vector<std::string>& lines) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.find(text) != std::string::npos) lines.push_back(line);
  }
}

}  // namespace

std::string Quoted(std::string_view path) {
  std::string word = "'";
  for (const char c : path) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

Program::Program(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
  pipe_ = FileDescriptor(ends[0]);
  const FileDescriptor write_end(ends[1]);
  const std::vector<std::string> variables = EnvironmentWith(environment);
  const auto argv = Pointers(arguments);
  const auto envp = Pointers(variables);
  pid_ = ::fork();
  if (pid_ < 0) std::abort();
  if (pid_ > 0) return;
  ::setpgid(0, 0);
  ::dup2(write_end.get(), STDOUT_FILENO);
  ::dup2(write_end.get(), STDERR_FILENO);
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(127);
}

Program::~Program() {
  if (reaped_) return;
  Signal(SIGTERM);
  for (int tries = 0; tries < 500; ++tries) {
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) return;
    ::usleep(20'000);
  }
  Signal(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool Program::ReadMore() {
  pollfd readable{.fd = pipe_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&readable, 1, kSilenceLimitMs) <= 0) return false;
  char buffer[4096];
  const ssize_t size = ::read(pipe_.get(), buffer, sizeof(buffer));
  if (size <= 0) return false;
  output_.append(buffer, static_cast<std::size_t>(size));
  return true;
}

bool Program::ReadUntil(const std::string& text) {
  const auto began = std::chrono::steady_clock::now();
  while (output_.find(text) == std::string::npos) {
    if (std::chrono::steady_clock::now() > began + kLongestWait || !ReadMore()) return false;
  }
  return true;
}

void Program::Signal(int signal) const {
  ::kill(pid_, signal);
}

int Program::Wait() {
  while (ReadMore()) {
  }
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  return ExitStatus(status);
}

int ProcessesLeft() {
  for (int tries = 0; tries < 100; ++tries) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) return 0;
    ::usleep(20'000);
  }
  std::ifstream children("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  int count = 0;
  for (std::string pid; children >> pid;) ++count;
  return count;
}

std::vector<std::string> CgroupsNamed(const std::string& name) {
  const fs::path mount =
      "/sys/fs/cgroup";  // of the one hierarchy of v2, or a folder of hierarchies
  std::vector<std::string> found;
  std::error_code error;
  if (fs::exists(mount / name, error)) found.push_back(mount / name);
  for (const auto& hierarchy : fs::directory_iterator(mount)) {
    if (fs::exists(hierarchy.path() / name, error)) found.push_back(hierarchy.path() / name);
  }
  return found;
}

std::vector<std::string> MountsOf(const std::string& path) {
  std::vector<std::string> found;
  AppendLinesWith("/proc/self/mountinfo", path, found);
  return found;
}

}  // namespace jettison
