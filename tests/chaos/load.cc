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
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "tests/chaos/journal.h"

namespace jettison::chaos {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kStep = kMiB / 4;  // of growth
constexpr std::int64_t kChildMiB = 8;
constexpr std::size_t kChildStack = 4 * kPage;

void SleepUntil(std::int64_t due) {
  const timespec at{.tv_sec = due / 1'000'000'000, .tv_nsec = due % 1'000'000'000};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

void SleepSeconds(double seconds) {
  SleepUntil(NowNanos() + static_cast<std::int64_t>(seconds * 1e9));
}

// Keeps a steady rate: what was late is caught up with, so that the average holds.
class Pace {
 public:
  explicit Pace(double per_second) : per_second_(per_second) {}
  // Waits until `done` units may have been finished.
  void WaitAt(std::int64_t done) const {
    if (per_second_ <= 0) return;
    const double seconds = static_cast<double>(done) / per_second_;
    const std::int64_t due = start_ + static_cast<std::int64_t>(seconds * 1e9);
    if (due > NowNanos()) SleepUntil(due);
  }

 private:
  double per_second_;
  std::int64_t start_ = NowNanos();
};

// Memory that is charged page by page as it is touched; null where there is no room.
char* Reserve(std::int64_t bytes) {
  void* area = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) return nullptr;
  ::madvise(area, static_cast<std::size_t>(bytes), MADV_NOHUGEPAGE);
  return static_cast<char*>(area);
}

void Touch(char* area, std::int64_t from, std::int64_t to) {
  for (std::int64_t at = from; at < to; at += kPage) area[at] = 1;
}

void Grow(char* area, std::int64_t from, std::int64_t to, double mib_per_second) {
  const Pace pace(mib_per_second * static_cast<double>(kMiB));
  for (std::int64_t at = from; at < to; at += kStep) {
    pace.WaitAt(at - from);
    Touch(area, at, at + kStep);
  }
}

int SleepAsChild(void* /*unused*/) {
  for (;;) ::pause();
}

// A process that shares its parent's memory: it costs the kernel a fifth of a copy. False where the
// kernel refuses.
bool AddChild() {
  void* stack = ::mmap(nullptr, kChildStack, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return false;
  const int child =
      ::clone(SleepAsChild, static_cast<char*>(stack) + kChildStack, CLONE_VM | SIGCHLD, nullptr);
  if (child < 0) ::munmap(stack, kChildStack);
  return child > 0;
}

// What fills a disk does not give up when it is full, for others may give back.
template <typename Call>
void KeepTrying(Call call) {
  while (call() < 0 && errno != EEXIST) SleepSeconds(0.001);
}

// The group of this process in the memory hierarchy of cgroup v1; empty where there is none.
std::string OwnMemoryGroup() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t at = line.find(":memory:");
    if (at != std::string::npos) return "/sys/fs/cgroup/memory" + line.substr(at + 8);
  }
  return "";
}

[[noreturn]] void SleepForever() {
  for (;;) {
    ::pause();
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

// Returns when it has used up its total or the kernel refuses more, as all of these do. A rate is a
// second's worth; zero means as fast as it goes.
void Leak(double mib_per_second, std::int64_t total_mib) {
  if (total_mib <= 0) return;
  char* area = Reserve(total_mib * kMiB);
  if (area != nullptr) Grow(area, 0, total_mib * kMiB, mib_per_second);
}

[[noreturn]] void Wave(std::int64_t low_mib, std::int64_t high_mib, double seconds) {
  char* area = Reserve(high_mib * kMiB);
  if (area == nullptr) SleepForever();
  Touch(area, 0, low_mib * kMiB);
  for (;;) {
    const std::int64_t low = low_mib * kMiB;
    Grow(area, low, high_mib * kMiB, static_cast<double>(high_mib - low_mib) / seconds);
    ::madvise(area + low, static_cast<std::size_t>(high_mib * kMiB - low), MADV_DONTNEED);
  }
}

void Fill(const std::string& folder, double mib_per_second, std::int64_t total_mib) {
  const std::string path = folder + "/filled";
  const int fd = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return std::perror(path.c_str());
  if (mib_per_second <= 0) {
    // Where all of it does not fit, as much as does: halved until nothing is taken any more.
    std::int64_t have = 0;
    for (std::int64_t more = total_mib * kMiB; more >= kPage && have < total_mib * kMiB;) {
      if (::fallocate(fd, 0, have, more) == 0)
        have += more;
      else
        more /= 2;
    }
    return;
  }
  const std::vector<char> text(static_cast<std::size_t>(kMiB), 'x');
  const Pace pace(mib_per_second);
  for (std::int64_t written = 0; written < total_mib; ++written) {
    pace.WaitAt(written);
    KeepTrying([&] { return ::write(fd, text.data(), text.size()); });
  }
}

void TakeInodes(const std::string& folder, double per_second, std::int64_t total) {
  const Pace pace(per_second);
  std::string inner;
  for (std::int64_t made = 0; made < total; ++made) {
    if (made % 64 == 0) pace.WaitAt(made);
    if (made % 1000 == 0) {
      inner = folder + "/" + std::to_string(made / 1000);
      KeepTrying([&] { return ::mkdir(inner.c_str(), 0755); });
    }
    const std::string path = inner + "/" + std::to_string(made);
    KeepTrying([&] { return ::mknod(path.c_str(), S_IFREG | 0644, 0); });
  }
}

// Children that share this process' memory and sleep. A child that ends takes nobody along, as in a
// real fork bomb; the group's end is the only end.
void Fork(double per_second, std::int64_t total) {
  const Pace pace(per_second);
  for (std::int64_t forked = 0; forked < total; ++forked) {
    if (forked % 16 == 0) pace.WaitAt(forked);
    while (!AddChild()) SleepSeconds(0.001);  // a bomb does not give up
  }
}

void ForkLeak(double mib_per_second, std::int64_t total_mib) {
  const Pace pace(mib_per_second);
  for (std::int64_t done = 0; done < total_mib; done += kChildMiB) {
    pace.WaitAt(done);
    const pid_t child = ::fork();
    if (child < 0) SleepSeconds(0.001);
    if (child != 0) continue;
    ::signal(SIGTERM, SIG_IGN);
    Leak(0, kChildMiB);
    SleepForever();
  }
}

[[noreturn]] void FloodLog(double mib_per_second) {
  std::vector<char> lines(static_cast<std::size_t>(kMiB), 'x');
  for (std::size_t end = 127; end < lines.size(); end += 128) lines[end] = '\n';
  const Pace pace(mib_per_second);
  for (std::int64_t written = 0;; ++written) {
    pace.WaitAt(written);
    for (std::size_t at = 0; at < lines.size();) {
      const ssize_t wrote = ::write(STDOUT_FILENO, lines.data() + at, lines.size() - at);
      if (wrote < 0 && errno != EINTR) SleepSeconds(0.01);
      if (wrote > 0) at += static_cast<std::size_t>(wrote);
    }
  }
}

void LeakInNestedGroups(int depth, double mib_per_second, std::int64_t total_mib) {
  std::string group = OwnMemoryGroup();
  for (int level = 0; level < depth; ++level) {
    group += "/n";
    if (::mkdir(group.c_str(), 0755) != 0 && errno != EEXIST) return std::perror(group.c_str());
  }
  const pid_t child = ::fork();
  if (child != 0) return;
  std::ofstream(group + "/cgroup.procs") << ::getpid() << std::flush;
  Leak(mib_per_second, total_mib);
  SleepForever();
}

// Where its file system never answers the process stays uninterruptible.
void LookUp(const std::string& path) {
  struct stat found {};
  [[maybe_unused]] const int result = ::stat(path.c_str(), &found);
}

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
