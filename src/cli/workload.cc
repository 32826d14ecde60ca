#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "cli/commands.h"
#include "cli/terminal/output.h"

namespace jettison {
namespace {

// What may stand on the command line.
struct WorkloadOptions {
  double rate = 0;         // a second's worth; zero: as fast as it goes
  std::int64_t total = 0;  // in the end
  std::string gate;        // wait until this file exists; empty: do not wait
  std::string path;        // the file to fill
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

// Ends with its parent.
int SleepAsChild(void* parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != *static_cast<const pid_t*>(parent))
    ::_exit(0);  // it ended before the line above
  while (true) ::pause();
}

// A process that shares its parent's memory: it costs the kernel a fifth of a copy, so that
// hundreds of them are a shortage of process ids and of nothing else.
bool AddChild() {
  static pid_t parent = ::getpid();  // read by children that have just begun
  void* stack = ::mmap(nullptr, kChildStack, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return false;
  char* const top = static_cast<char*>(stack) + kChildStack;
  return ::clone(SleepAsChild, top, CLONE_VM | SIGCHLD, &parent) > 0;
}

// Waits for the gate alone; returns at once where there is none.
void WaitForGate(const std::string& gate) {
  if (gate.empty()) return;
  struct stat found {};
  while (::stat(gate.c_str(), &found) != 0) std::this_thread::sleep_for(kGateInterval);
}

// Touches ever more memory, page by page in small pages, and keeps it.
void Leak(const WorkloadOptions& options) {
  const std::size_t bytes = static_cast<std::size_t>(options.total) * kMiB;
  // It is only charged once it is touched.
  auto* const area = static_cast<char*>(std::aligned_alloc(kPage, bytes));
  if (area == nullptr) return Complain("aligned_alloc");
  ::madvise(area, bytes, MADV_NOHUGEPAGE);  // the growth would jump by 2 MiB
  const Pace pace(options.rate);
  for (std::int64_t touched = 0; touched < options.total; ++touched) {
    pace.WaitAt(static_cast<double>(touched));
    char* const at = area + static_cast<std::size_t>(touched) * kMiB;
    for (std::size_t offset = 0; offset < kMiB; offset += kPage) at[offset] = 1;
  }
}

// Writes a new file of MiBs that do not compress.
void Fill(const WorkloadOptions& options) {
  std::ofstream file(options.path, std::ios::binary | std::ios::trunc);
  std::string noise(kMiB, '\0');
  std::ranges::generate(
      noise, [random = std::minstd_rand()]() mutable { return static_cast<char>(random() >> 16); });
  const Pace pace(options.rate);
  for (std::int64_t written = 0; written < options.total; ++written) {
    pace.WaitAt(static_cast<double>(written));
    if (!(file << noise << std::flush)) return Complain(options.path.c_str());
  }
}

// Forks children that sleep.
void Fork(const WorkloadOptions& options) {
  const Pace pace(options.rate);
  for (std::int64_t forked = 0; forked < options.total; ++forked) {
    pace.WaitAt(static_cast<double>(forked));
    if (!AddChild()) return Complain("fork");
  }
}

// Waits for the gate, does its work, and sleeps until a signal ends the process.
[[noreturn]] void Run(void (*work)(const WorkloadOptions&), const WorkloadOptions& options) {
  std::signal(SIGTERM, [](int) { ::_exit(0); });
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);  // it may have been inherited
  WaitForGate(options.gate);
  work(options);
  while (true) ::pause();
}

struct Kind {
  const char* name;
  const char* what;
  void (*work)(const WorkloadOptions&);
};
constexpr Kind kKinds[] = {{"hold", "touch so many MiB and keep them", Leak},
                           {"leak", "touch more and more MiB", Leak},
                           {"fill", "write MiBs to a file", Fill},
                           {"fork", "fork children that sleep", Fork}};

}  // namespace

void AddWorkload(CLI::App& app, int& /*exit_code*/) {
  CLI::App* parent = app.add_subcommand("workload", "Use up a resource, for demo and tests.");
  parent->group("")->require_subcommand(1);
  for (const Kind& kind : kKinds) {
    auto options = std::make_shared<WorkloadOptions>();
    CLI::App* command = parent->add_subcommand(kind.name, kind.what);
    command->add_option("--rate", options->rate, "a second; 0: at once")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--total", options->total, "in the end")
        ->check(CLI::NonNegativeNumber)
        ->required();
    command->add_option("--gate", options->gate, "begin once this file exists");
    command->add_option("--path", options->path, "the file to fill");
    command->callback([options, &kind] { Run(kind.work, *options); });
  }
}

}  // namespace jettison
