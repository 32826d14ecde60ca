// usage: chaos_watch CGROUP CAPACITY_BYTES LINE_BYTES PERIOD_US
//
// Looks from outside at a node, a group of cgroup v1's memory controller, until it is killed or its
// standard input ends: available = capacity - (usage - inactive file pages). Lines on standard
// output, times in nanoseconds of CLOCK_MONOTONIC:
//
//   below FROM UNTIL LEAST     an interval with less than LINE available, and the least of it
//   still FROM NOW LEAST       such an interval that goes on, every 100 ms
//   tick NOW GAP AVAILABLE     every 100 ms: the longest time between two looks since the last
//   tick,
//                              which tells how sharp the figures are, and how busy the machine
//
// It runs before everybody else, because a witness must not be late; where it may not, it is less
// sharp.

#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "tests/chaos/journal.h"
#include "tests/measure/node_memory.h"

namespace jettison::chaos {
namespace {

constexpr std::int64_t kTick = 100'000'000;
constexpr std::int64_t kNear = 4 << 20;  // of the line: from here on there is no pause, bytes

struct Interval {
  std::int64_t from = 0;
  std::int64_t least = 0;
};

void Print(const char* what, std::int64_t a, std::int64_t b, std::int64_t c) {
  std::printf("%s %lld %lld %lld\n", what, static_cast<long long>(a), static_cast<long long>(b),
              static_cast<long long>(c));
  std::fflush(stdout);
}

// Whoever started the program is gone, or wants it to end.
bool IsOver() {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  return ::poll(&input, 1, 0) != 0;
}

void Watch(measure::NodeMemory& node, std::int64_t line, std::int64_t period) {
  std::optional<Interval> below;
  std::int64_t before = NowNanos();
  std::int64_t ticked = before;
  std::int64_t longest = 0;
  for (;;) {
    const std::int64_t available = node.Available();
    const std::int64_t now = NowNanos();
    longest = std::max(longest, now - before);
    before = now;
    if (available < line && !below) below = Interval{.from = now, .least = available};
    if (below) below->least = std::min(below->least, available);
    if (below && available >= line) {
      Print("below", below->from, now, below->least);
      below.reset();
    }
    if (now - ticked >= kTick) {
      if (below) Print("still", below->from, now, below->least);
      Print("tick", now, longest, available);
      ticked = now;
      longest = 0;
      if (IsOver()) return;
    }
    if (std::abs(available - line) < kNear) continue;
    const timespec pause{.tv_sec = 0, .tv_nsec = period};
    ::clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
  }
}

}  // namespace
}  // namespace jettison::chaos

int main(int argc, char** argv) {
  using namespace jettison::chaos;
  if (argc != 5) {
    std::fprintf(stderr, "usage: chaos_watch CGROUP CAPACITY_BYTES LINE_BYTES PERIOD_US\n");
    return 2;
  }
  const sched_param before_all{.sched_priority = ::sched_get_priority_max(SCHED_FIFO)};
  if (::sched_setscheduler(0, SCHED_FIFO, &before_all) != 0) ::setpriority(PRIO_PROCESS, 0, -20);
  jettison::measure::NodeMemory node(argv[1], std::atoll(argv[2]));
  Watch(node, std::atoll(argv[3]), std::atoll(argv[4]) * 1000);
}
