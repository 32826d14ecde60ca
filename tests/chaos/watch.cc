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

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "tests/chaos/journal.h"

namespace jettison::chaos {
namespace {

constexpr std::int64_t kTick = 100'000'000;
constexpr std::int64_t kNear = 4 << 20;  // of the line: from here on there is no pause, bytes

[[noreturn]] void Die(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

// A pseudo-file that is read over and over.
class KernelFile {
 public:
  explicit KernelFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) Die(path);
  }
  KernelFile(const KernelFile&) = delete;
  KernelFile& operator=(const KernelFile&) = delete;
  ~KernelFile() { ::close(fd_); }

  const char* Read() {
    const ssize_t length = ::pread(fd_, text_, sizeof(text_) - 1, 0);
    if (length < 0) Die("read a file of the memory controller");
    text_[length] = '\0';
    return text_;
  }

 private:
  int fd_;
  char text_[8192];
};

class Node {
 public:
  Node(const std::string& group, std::int64_t capacity)
      : usage_(group + "/memory.usage_in_bytes"),
        stat_(group + "/memory.stat"),
        capacity_(capacity) {}

  std::int64_t Available() {
    const std::int64_t usage = std::atoll(usage_.Read());
    const char* row = std::strstr(stat_.Read(), "\ntotal_inactive_file ");
    const std::int64_t inactive = row == nullptr ? 0 : std::atoll(row + 21);
    return capacity_ - std::max<std::int64_t>(usage - inactive, 0);
  }

 private:
  KernelFile usage_;
  KernelFile stat_;
  std::int64_t capacity_;
};

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

void Watch(Node& node, std::int64_t line, std::int64_t period) {
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
  Node node(argv[1], std::atoll(argv[2]));
  Watch(node, std::atoll(argv[3]), std::atoll(argv[4]) * 1000);
}
