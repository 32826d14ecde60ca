#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal/output.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

// How fast, and until when. `rate` is a second's worth; zero or less means as fast as it goes.
struct Growth {
  double rate = 0;
  std::int64_t total = 0;
};

// What every kind has in common.
struct Conduct {
  bool ignore_term = false;  // SIGTERM does nothing; otherwise the process exits at once with 0
  double delay_seconds = 0;  // before anything else
  std::string gate;          // wait until this file exists; empty: do not wait
};

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kChildStack = 4 * kPage;
constexpr auto kGateInterval = std::chrono::milliseconds(20);  // between two looks

// Keeps a steady rate: what was late is caught up with, so the average holds.
class Pace {
 public:
  explicit Pace(double rate) : rate_(rate) {}
  // Waits until `done` units may have been finished.
  void WaitAt(double done) const {
    if (rate_ <= 0) return;
    const std::chrono::duration<double> due(done / rate_);
    std::this_thread::sleep_until(start_ + std::chrono::duration_cast<Clock::duration>(due));
  }

 private:
  using Clock = std::chrono::steady_clock;
  double rate_;
  Clock::time_point start_ = Clock::now();
};

void Complain(const char* what) {
  PrintError("{}: {}\n", what, std::strerror(errno));
}

// Replaces the way SIGTERM is handled, unless it is ignored.
void HandleTerm(void (*handler)(int)) {
  struct sigaction action {};
  ::sigaction(SIGTERM, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  ::sigaction(SIGTERM, &action, nullptr);
}

void HandleSignals(bool ignore_term) {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  if (!ignore_term) action.sa_handler = [](int) { ::_exit(0); };
  ::sigaction(SIGTERM, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Memory that is only charged once it is touched; null where the address space is full.
char* Reserve(std::size_t bytes) {
  void* area = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) {
    Complain("mmap");
    return nullptr;
  }
  // Huge pages would make the growth jump by 2 MiB.
  ::madvise(area, bytes, MADV_NOHUGEPAGE);
  return static_cast<char*>(area);
}

std::vector<char> Noise() {
  std::vector<char> noise(kMiB);
  std::ranges::generate(
      noise, [random = std::minstd_rand()]() mutable { return static_cast<char>(random() >> 16); });
  return noise;
}

bool WriteAll(int fd, const std::vector<char>& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t wrote = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return true;
}

int SleepAsChild(void* parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != *static_cast<const pid_t*>(parent))
    ::_exit(0);  // it ended before the line above
  while (true) ::pause();
}

// Children of this process, for the signal handler: it can reach nothing else.
std::vector<pid_t> children;

// Takes the children along and reaps them: their process ids are free again when this one ends, and
// not only when init comes round to it.
void EndWithChildren(int /*signal*/) {
  for (const pid_t child : children) ::kill(child, SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  ::_exit(0);
}

// A process that shares its parent's memory: it costs the kernel a fifth of a copy, so that
// hundreds of them are a shortage of process ids and of nothing else. Negative where it fails.
pid_t ForkSharing() {
  static pid_t parent = ::getpid();  // read by children that have just begun
  void* stack = ::mmap(nullptr, kChildStack, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -1;
  return ::clone(SleepAsChild, static_cast<char*>(stack) + kChildStack, CLONE_VM | SIGCHLD,
                 &parent);
}

// With SIGTERM held back: its handler must find every child, and the children need not handle it.
bool AddChild() {
  sigset_t term;
  sigset_t before;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &term, &before);
  const pid_t child = ForkSharing();
  if (child > 0) children.push_back(child);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return child > 0;
}

// Waits for the gate alone; returns at once where there is none.
void WaitForGate(const std::string& gate) {
  if (gate.empty()) return;
  struct stat found {};
  while (::stat(gate.c_str(), &found) != 0) std::this_thread::sleep_for(kGateInterval);
}

// Sets up the signals, then waits for the delay and the gate. Clears the mask of blocked signals,
// which the process may have inherited.
void Begin(const Conduct& conduct) {
  HandleSignals(conduct.ignore_term);
  std::this_thread::sleep_for(std::chrono::duration<double>(conduct.delay_seconds));
  WaitForGate(conduct.gate);
}

// Touches `start_mib` at once, then after the gate grows by `growth` (MiB) page by page, in small
// pages, and keeps everything.
void Leak(std::int64_t start_mib, const std::string& gate, Growth growth) {
  if (growth.total <= 0) return WaitForGate(gate);
  char* area = Reserve(static_cast<std::size_t>(growth.total) * kMiB);
  if (area == nullptr) return;
  std::int64_t touched = 0;
  const auto touch_next = [&] {
    char* const at = area + static_cast<std::size_t>(touched++) * kMiB;
    for (std::size_t offset = 0; offset < kMiB; offset += kPage) at[offset] = 1;
  };
  while (touched < start_mib && touched < growth.total) touch_next();
  WaitForGate(gate);
  const Pace pace(growth.rate);
  for (std::int64_t grown = 0; touched < growth.total; ++grown) {
    pace.WaitAt(static_cast<double>(grown));
    touch_next();
  }
}

// Writes a new file of MiBs that do not compress.
void Fill(const std::string& path, Growth growth) {
  const FileDescriptor file(::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) return Complain(path.c_str());
  const std::vector<char> noise = Noise();
  const Pace pace(growth.rate);
  for (std::int64_t written = 0; written < growth.total; ++written) {
    pace.WaitAt(static_cast<double>(written));
    if (!WriteAll(file.get(), noise)) return Complain(path.c_str());
  }
}

// Creates empty files in a directory, which is made if need be.
void TakeInodes(const std::string& directory, Growth growth) {
  if (::mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
    return Complain(directory.c_str());
  }
  const Pace pace(growth.rate);
  for (std::int64_t made = 0; made < growth.total; ++made) {
    pace.WaitAt(static_cast<double>(made));
    const std::string path = fmt::format("{}/{}", directory, made);
    const FileDescriptor file(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    if (!file) return Complain(path.c_str());
  }
}

// Forks children that sleep, and that end with their parent.
void Fork(Growth growth) {
  children.reserve(static_cast<std::size_t>(std::max<std::int64_t>(growth.total, 0)));
  HandleTerm(EndWithChildren);
  const Pace pace(growth.rate);
  for (std::int64_t forked = 0; forked < growth.total; ++forked) {
    pace.WaitAt(static_cast<double>(forked));
    if (!AddChild()) return Complain("fork");
  }
}

// Sleeps until a signal ends the process.
[[noreturn]] void SleepForever() {
  while (true) {
    ::pause();
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

// Everything that can stand on the command line of any kind.
struct WorkloadOptions {
  Conduct conduct;
  Growth growth;
  std::int64_t start_mib = 0;
  std::string target;  // --path or --dir
};
using Kind = std::function<void(const WorkloadOptions&)>;

// Adds one kind with the options that all of them share.
CLI::App* AddKind(CLI::App& parent, const char* name, const char* description,
                  const std::shared_ptr<WorkloadOptions>& options, Kind kind) {
  CLI::App* command = parent.add_subcommand(name, description);
  Conduct& conduct = options->conduct;
  command->add_flag("--ignore-term", conduct.ignore_term, "do nothing on SIGTERM");
  command->add_option("--delay", conduct.delay_seconds, "seconds to wait first");
  command->add_option("--gate", conduct.gate, "begin once this file exists");
  command->callback([options, kind = std::move(kind)] { kind(*options); });
  return command;
}

CLI::App* AddGrowth(CLI::App* command, Growth& growth, const char* rate, const char* total) {
  command->add_option("--rate", growth.rate, rate)->check(CLI::NonNegativeNumber);
  command->add_option("--total", growth.total, total)->check(CLI::NonNegativeNumber)->required();
  return command;
}

void RunLeak(const WorkloadOptions& options) {
  Conduct conduct = options.conduct;
  conduct.gate.clear();  // it stands between the start and the growth
  Begin(conduct);
  Leak(options.start_mib, options.conduct.gate, options.growth);
  SleepForever();
}

// A kind that has nothing to do before its gate.
Kind Gated(void (*work)(const WorkloadOptions&)) {
  return [work](const WorkloadOptions& options) {
    Begin(options.conduct);
    work(options);
    SleepForever();
  };
}

void AddMemoryKinds(CLI::App& parent) {
  auto hold = std::make_shared<WorkloadOptions>();
  AddKind(parent, "hold", "touch memory once and keep it", hold,
          Gated([](const auto& options) { Leak(options.growth.total, "", options.growth); }))
      ->add_option("--total", hold->growth.total, "MiB")
      ->check(CLI::NonNegativeNumber)
      ->required();
  auto leak = std::make_shared<WorkloadOptions>();
  CLI::App* command = AddKind(parent, "leak", "touch more and more memory", leak, RunLeak);
  AddGrowth(command, leak->growth, "MiB a second; 0: at once", "MiB in the end");
  command->add_option("--start", leak->start_mib, "MiB before the gate")
      ->check(CLI::NonNegativeNumber);
}

void AddFileKinds(CLI::App& parent) {
  auto fill = std::make_shared<WorkloadOptions>();
  CLI::App* command =
      AddKind(parent, "fill", "write a file", fill,
              Gated([](const auto& options) { Fill(options.target, options.growth); }));
  AddGrowth(command, fill->growth, "MiB a second; 0: at once", "MiB in the end");
  command->add_option("--path", fill->target, "the file")->required();

  auto inodes = std::make_shared<WorkloadOptions>();
  command = AddKind(parent, "inodes", "create empty files", inodes,
                    Gated([](const auto& options) { TakeInodes(options.target, options.growth); }));
  AddGrowth(command, inodes->growth, "files a second; 0: at once", "files in the end");
  command->add_option("--dir", inodes->target, "where they are made")->required();
}

}  // namespace

void AddWorkload(CLI::App& app, int& /*exit_code*/) {
  CLI::App* parent = app.add_subcommand("workload", "Use up a resource, for demo and tests.");
  parent->group("")->require_subcommand(1);
  auto sleep = std::make_shared<WorkloadOptions>();
  AddKind(*parent, "sleep", "do nothing", sleep, Gated([](const WorkloadOptions&) {}));
  AddMemoryKinds(*parent);
  AddFileKinds(*parent);
  auto fork = std::make_shared<WorkloadOptions>();
  AddGrowth(AddKind(*parent, "fork", "fork children that sleep", fork,
                    Gated([](const auto& options) { Fork(options.growth); })),
            fork->growth, "children a second; 0: at once", "children in the end");
}

}  // namespace jettison
