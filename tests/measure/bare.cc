// usage: measure_bare NODE CLASS POD PID CAPACITY_BYTES THRESHOLD_BYTES
//
// The floor under the time from a crossed threshold to the signal, on cgroup v1: a loop that does
// in the agent's place what no exact choice can do without, and nothing else. NODE, CLASS and POD
// are folders of groups: the node's, that of the QoS class and that of the pod that is to be ended,
// which a real agent would have to find first. PID is that pod's process. Everything is opened, the
// levels are registered and the memory is locked before it prints the line "armed". Then it
//
// - waits for the kernel's notification that usage of NODE reached the level of the threshold, or
//   one 1 MiB before it. From there on it looks every 0.25 ms as the agent does, because the kernel
//   checks the levels only every 128 pages;
// - reads the usage and memory.stat of NODE, which say whether the threshold is crossed;
// - reads the usage of CLASS, and the usage and memory.stat of POD;
// - sends SIGTERM to PID by a process descriptor, and leaves the processor to that process.
//
// It runs at the agent's real-time priority. Prints one line of JSON: `looks`, the times it read
// the node, and `readUs`, the time from the beginning of the last look to the end of the call that
// sends the signal. Exit status 1 when something cannot be read, or nothing happens within a
// minute.

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "tests/measure/kernel_file.h"
#include "tests/measure/report.h"

namespace jettison::measure {
namespace {

constexpr std::int64_t kApproach = 1 << 20;       // the earlier level lies this far before, bytes
constexpr std::int64_t kBetweenLooks = 250'000;   // after the earlier level, ns
constexpr std::int64_t kLooksFor = 30'000'000;    // ... and for how long, ns
constexpr std::uint32_t kToVictim = 50'000;       // the processor is left to it for so long, us
constexpr std::int64_t kAtMost = 60'000'000'000;  // the wait for the crossing, ns

// Memory of a group, in bytes.
class Memory {
 public:
  explicit Memory(const std::string& group)
      : usage_(group + "/memory.usage_in_bytes"), stat_(group + "/memory.stat") {}

  std::int64_t Usage() { return std::atoll(usage_.Read()); }
  std::int64_t InactiveFile() { return FigureOf(stat_.Read(), "total_inactive_file"); }
  std::int64_t WorkingSet() { return Usage() - InactiveFile(); }

 private:
  KernelFile usage_;
  KernelFile stat_;
};

// Whether the node is short of memory.
class Line {
 public:
  Line(Memory& node, std::int64_t capacity, std::int64_t threshold)
      : node_(node), most_(capacity - threshold) {}

  [[nodiscard]] bool IsCrossed() { return node_.WorkingSet() > most_; }
  // The usage at which it is crossed.
  [[nodiscard]] std::int64_t Level() { return most_ + node_.InactiveFile(); }

 private:
  Memory& node_;
  std::int64_t most_;
};

void Register(int event, const std::string& group, std::int64_t level) {
  const std::string usage_path = group + "/memory.usage_in_bytes";
  const std::string control_path = group + "/cgroup.event_control";
  const int usage = ::open(usage_path.c_str(), O_RDONLY | O_CLOEXEC);
  const int control = ::open(control_path.c_str(), O_WRONLY | O_CLOEXEC);
  const std::string request =
      std::to_string(event) + " " + std::to_string(usage) + " " + std::to_string(level);
  if (usage < 0 || control < 0 || ::write(control, request.data(), request.size()) < 0) {
    Die(control_path.c_str());
  }
  ::close(control);
  ::close(usage);
}

// The agent's loop has the second lowest real-time priority.
void TakePriority() {
  const sched_param param{.sched_priority = ::sched_get_priority_min(SCHED_FIFO) + 1};
  if (::sched_setscheduler(0, SCHED_FIFO, &param) != 0) ::setpriority(PRIO_PROCESS, 0, -20);
  ::mlockall(MCL_CURRENT | MCL_FUTURE);
}

// Waits for the event for so long. Returns whether it came.
bool Wait(int event, std::int64_t nanos) {
  pollfd waiting{.fd = event, .events = POLLIN, .revents = 0};
  const timespec limit{.tv_sec = nanos / 1'000'000'000, .tv_nsec = nanos % 1'000'000'000};
  if (::ppoll(&waiting, 1, &limit, nullptr) <= 0) return false;
  std::uint64_t count = 0;
  return ::read(event, &count, sizeof count) == sizeof count;
}

struct Found {
  int looks = 0;
  std::int64_t began = 0;  // the last look, ns
};

// Returns when the threshold is crossed; absent: not in time.
std::optional<Found> AwaitCrossing(int event, Line& line) {
  Found found;
  const std::int64_t start = NowNanos();
  std::int64_t near_until = 0;
  while (NowNanos() - start < kAtMost) {
    const bool is_near = NowNanos() < near_until;
    if (Wait(event, is_near ? kBetweenLooks : kAtMost) && !is_near) {
      near_until = NowNanos() + kLooksFor;
    }
    found.began = NowNanos();
    ++found.looks;
    if (line.IsCrossed()) return found;
  }
  return std::nullopt;
}

}  // namespace
}  // namespace jettison::measure

int main(int argc, char** argv) {
  using namespace jettison::measure;
  if (argc != 7) {
    std::fprintf(stderr, "usage: measure_bare NODE CLASS POD PID CAPACITY_BYTES THRESHOLD_BYTES\n");
    return 2;
  }
  Memory node(argv[1]);
  Memory of_class(argv[2]);
  Memory pod(argv[3]);
  Line line(node, std::atoll(argv[5]), std::atoll(argv[6]));
  const int victim = static_cast<int>(::syscall(SYS_pidfd_open, std::atoi(argv[4]), 0));
  const int event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (victim < 0 || event < 0) Die("pidfd_open or eventfd");
  const std::int64_t level = line.Level();
  Register(event, argv[1], level - kApproach);
  Register(event, argv[1], level);
  TakePriority();
  std::puts("armed");
  std::fflush(stdout);

  const std::optional<Found> found = AwaitCrossing(event, line);
  if (!found) Die("no crossing in time");
  const bool is_possible = of_class.Usage() >= pod.WorkingSet();
  if (::syscall(SYS_pidfd_send_signal, victim, SIGTERM, nullptr, 0) != 0) Die("SIGTERM");
  const std::int64_t took = NowNanos() - found->began;
  ::usleep(kToVictim);
  std::printf("{\"looks\": %d, \"readUs\": %.1f, \"isPossible\": %s}\n", found->looks,
              static_cast<double>(took) / 1e3, is_possible ? "true" : "false");
  return is_possible ? 0 : 1;
}
