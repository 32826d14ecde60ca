#include "runtimes/cri/test_bed/programs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// Standard output and error are written to `output`. The program ends with this thread, gets no
// signals from the terminal, and blocks none.
Result<pid_t> Spawn(const std::vector<std::string>& arguments, int output) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (::access(argv.front(), X_OK) != 0) return FailErrno("start " + arguments.front());
  const FileDescriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const pid_t pid = ::fork();
  if (pid < 0) return FailErrno("start " + arguments.front());
  if (pid > 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setsid();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(input.get(), STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execv(argv.front(), argv.data());
  ::_exit(127);
}

std::string ReadAll(int fd) {
  std::string text;
  char part[4096];
  ssize_t size = 0;
  while ((size = ::read(fd, part, sizeof part)) > 0 || (size < 0 && errno == EINTR)) {
    if (size > 0) text.append(part, static_cast<std::size_t>(size));
  }
  return text;
}

std::string LastLine(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace

Result<std::string> FindProgram(const std::string& name) {
  const char* path = std::getenv("PATH");
  const std::string folders = fmt::format(
      "{}:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin", path == nullptr ? "" : path);
  for (std::string_view rest = folders; !rest.empty();) {
    const auto colon = rest.find(':');
    std::string candidate = fmt::format("{}/{}", rest.substr(0, colon), name);
    if (candidate.starts_with('/') && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return Fail(ErrorCode::kNotFound, fmt::format("there is no program {} in $PATH", name));
}

Result<std::string> RunProgram(const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return FailErrno("make a pipe");
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const auto pid = Spawn(arguments, writing.get());
  writing = FileDescriptor();
  if (!pid) return Fail(pid.error());
  std::string text = ReadAll(reading.get());
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return text;
  return Fail(ErrorCode::kInternal,
              fmt::format("{} failed: {}", arguments.front(), LastLine(text)));
}

Result<pid_t> StartProgram(const std::vector<std::string>& arguments,
                           const std::string& output_file) {
  const FileDescriptor output(
      ::open(output_file.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!output) return FailErrno("open " + output_file);
  return Spawn(arguments, output.get());
}

}  // namespace jettison
