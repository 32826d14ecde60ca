// usage: chaos_load JOURNAL_FOLDER NAME [--ignore-term] [--data FOLDER] KIND [ARGUMENT...]
//
//   sleep                              nothing
//   hold MIB                           memory, kept
//   leak MIB_S TOTAL_MIB               memory that grows
//   wave LOW_MIB HIGH_MIB SECONDS      memory that comes and goes
//   files FOLDER MIB_S TOTAL_MIB       a file that grows; 0 MiB/s: at once
//   inodes FOLDER PER_S TOTAL          empty files
//   forks PER_S TOTAL                  processes that sleep
//   forkleak MIB_S TOTAL_MIB           processes of 8 MiB each that ignore SIGTERM
//   log MIB_S                          lines on standard output
//   nest DEPTH MIB_S TOTAL_MIB         groups within the own one, and a leak in the last
//   stuck FILE                         a file is looked up
//   crash SECONDS                      ends with status 1 after that time
//
// The program of every pod of a chaos run. In JOURNAL_FOLDER/NAME it writes down what happens to it
// (journal.h): `start`; `double` where another process of that NAME lives; `term` when SIGTERM
// comes; with --data `data-new` where the folder is empty, which it then marks, or `data-kept`.
// Root is not needed but for `nest`.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/chaos/journal.h"
#include "tests/chaos/load_kinds.h"

namespace jettison::chaos {
namespace {

const Journal* journal = nullptr;
pid_t main_process = 0;

// Children have the handler, too; the pod is told to end once.
void NoteTerm(int /*signal*/) {
  if (::getpid() == main_process) journal->Write("term");
}

void ExitOnTerm(int /*signal*/) {
  if (::getpid() == main_process) journal->Write("term");
  ::_exit(0);
}

void HandleTerm(bool ignore) {
  struct sigaction action {};
  action.sa_handler = ignore ? NoteTerm : ExitOnTerm;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGTERM, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A lock of a process: a child does not inherit it, and the kernel drops it with the process.
bool LockAlone(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  return fd >= 0 && ::fcntl(fd, F_SETLK, &whole) == 0;
}

void MarkData(const std::string& folder) {
  const std::string mark = folder + "/mark";
  struct stat found {};
  if (::stat(mark.c_str(), &found) == 0) return journal->Write("data-kept");
  const int fd = ::open(mark.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  journal->Write(fd >= 0 ? "data-new" : "data-failed");
  ::close(fd);
}

struct Options {
  bool ignore_term = false;
  std::string data;
  std::vector<std::string> rest;  // the kind and its arguments
};

Options Parse(int argc, char** argv) {
  Options options;
  int at = 3;
  for (; at < argc && std::strncmp(argv[at], "--", 2) == 0; ++at) {
    const std::string name = argv[at];
    if (name == "--ignore-term")
      options.ignore_term = true;
    else if (name == "--data" && at + 1 < argc)
      options.data = argv[++at];
    else
      return {};
  }
  options.rest.assign(argv + at, argv + argc);
  return options;
}

double Number(const std::string& text) {
  return std::strtod(text.c_str(), nullptr);
}

std::int64_t Whole(const std::string& text) {
  return std::strtoll(text.c_str(), nullptr, 10);
}

// False where there is no such kind with so many arguments.
bool Work(const std::vector<std::string>& rest) {
  const auto is = [&](const char* kind, std::size_t arguments) {
    return rest.size() == arguments + 1 && rest[0] == kind;
  };
  if (is("hold", 1))
    Leak(0, Whole(rest[1]));
  else if (is("leak", 2))
    Leak(Number(rest[1]), Whole(rest[2]));
  else if (is("wave", 3))
    Wave(Whole(rest[1]), Whole(rest[2]), Number(rest[3]));
  else if (is("files", 3))
    Fill(rest[1], Number(rest[2]), Whole(rest[3]));
  else if (is("inodes", 3))
    TakeInodes(rest[1], Number(rest[2]), Whole(rest[3]));
  else if (is("forks", 2))
    Fork(Number(rest[1]), Whole(rest[2]));
  else if (is("forkleak", 2))
    ForkLeak(Number(rest[1]), Whole(rest[2]));
  else if (is("log", 1))
    FloodLog(Number(rest[1]));
  else if (is("nest", 3))
    LeakInNestedGroups(std::atoi(rest[1].c_str()), Number(rest[2]), Whole(rest[3]));
  else if (is("stuck", 1))
    LookUp(rest[1]);
  else if (is("crash", 1)) {
    SleepSeconds(Number(rest[1]));
    std::exit(1);
  } else
    return is("sleep", 0);
  return true;
}

}  // namespace
}  // namespace jettison::chaos

int main(int argc, char** argv) {
  using namespace jettison::chaos;
  const Options options = Parse(argc, argv);
  if (options.rest.empty()) {
    std::fprintf(stderr, "usage: chaos_load JOURNAL_FOLDER NAME [OPTION...] KIND [ARGUMENT...]\n");
    return 2;
  }
  const std::string path = std::string(argv[1]) + "/" + argv[2];
  const Journal opened(path);
  if (!opened.IsOpen()) {
    std::perror(path.c_str());
    return 2;
  }
  journal = &opened;
  main_process = ::getpid();
  HandleTerm(options.ignore_term);
  if (!LockAlone(path + ".lock")) journal->Write("double");
  journal->Write("start");
  if (!options.data.empty()) MarkData(options.data);
  if (!Work(options.rest)) {
    std::fprintf(stderr, "no such kind of load, or not so many arguments: %s\n",
                 options.rest[0].c_str());
    return 2;
  }
  SleepForever();
}
