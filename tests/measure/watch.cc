// usage: measure_watch CGROUP CAPACITY_BYTES THRESHOLD_BYTES REPORT GATE PERIOD_US TIMEOUT_S
//
// Looks at a node from outside while a hog grows in it. It makes the file GATE, which lets the hog
// grow, and from then on reads every PERIOD_US what the kernel's memory controller says of CGROUP,
// available = capacity - (usage - inactive file pages), without pause when it comes near the
// threshold, until some time after the hog has written into REPORT that SIGTERM came. CGROUP is a
// group of v1. It runs at nice -20, a witness must not be late. Prints one line of JSON:
//
//   crossedNs    when available fell below the threshold: between the last sample above and the
//                first below, in proportion; null: it never did
//   signalledNs  when the handler of the hog ran, or, where it was killed before that, when it was
//                gone; null: not within TIMEOUT_S
//   latencyMs    from the one to the other; null: one of them is missing
//   belowMs      how long available was below the threshold up to the signal. It is less than
//                latencyMs where available rose above it again, as it does when page cache moves
//   overshootBytes   how far below the threshold available had fallen when the signal came, since
//                it fell below it for the last time
//   longestGapUs the longest time between two samples from half a second before the crossing on:
//                how sharp the figures are
//
// Exit status 0 when both happened, 1 when not or when something could not be read.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "tests/measure/node_memory.h"
#include "tests/measure/report.h"

namespace jettison::measure {
namespace {

constexpr std::int64_t kAfterSignal = 20'000'000;  // how long samples are taken afterwards, ns
constexpr std::int64_t kNearCrossing = 500'000'000;
constexpr std::int64_t kNearThreshold = 4 << 20;  // from here on there is no pause, bytes

struct Sample {
  std::int64_t at = 0;         // ns
  std::int64_t available = 0;  // bytes
};

struct Pace {
  std::int64_t period = 0;   // from one sample to the next, ns
  std::int64_t timeout = 0;  // ns
};

Sample Look(NodeMemory& node) {
  const std::int64_t before = NowNanos();
  const std::int64_t available = node.Available();
  return {.at = before + (NowNanos() - before) / 2, .available = available};
}

// The instant at which a straight line from `a` to `b` goes through `available`.
std::int64_t TimeAt(const Sample& a, const Sample& b, std::int64_t available) {
  const double share =
      static_cast<double>(a.available - available) / static_cast<double>(a.available - b.available);
  return a.at + static_cast<std::int64_t>(share * static_cast<double>(b.at - a.at));
}

std::optional<std::int64_t> CrossingOf(const std::vector<Sample>& samples, std::int64_t threshold) {
  const auto below = std::find_if(samples.begin(), samples.end(),
                                  [&](const Sample& s) { return s.available < threshold; });
  if (below == samples.end() || below == samples.begin()) return std::nullopt;
  return TimeAt(*(below - 1), *below, threshold);
}

// The least that was available up to `signalled`, since it fell below the threshold for the last
// time; the sample next after `signalled` is included in proportion.
std::int64_t LeastAvailable(const std::vector<Sample>& samples, std::int64_t threshold,
                            std::int64_t signalled) {
  std::int64_t least = samples.front().available;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].at <= signalled) {
      const bool falls_below =
          i > 0 && samples[i].available < threshold && samples[i - 1].available >= threshold;
      least = falls_below ? samples[i].available : std::min(least, samples[i].available);
      continue;
    }
    if (i == 0) break;
    const Sample& a = samples[i - 1];
    const double share =
        static_cast<double>(signalled - a.at) / static_cast<double>(samples[i].at - a.at);
    const double change = static_cast<double>(samples[i].available - a.available) * share;
    return std::min(least, a.available + static_cast<std::int64_t>(change));
  }
  return least;
}

// How long available was below `threshold` up to `signalled`, ns; a sample holds until the next.
std::int64_t TimeBelow(const std::vector<Sample>& samples, std::int64_t threshold,
                       std::int64_t signalled) {
  std::int64_t below = 0;
  for (std::size_t i = 0; i + 1 < samples.size() && samples[i].at < signalled; ++i) {
    if (samples[i].available >= threshold) continue;
    below += std::min(samples[i + 1].at, signalled) - samples[i].at;
  }
  return below;
}

std::int64_t LongestGap(const std::vector<Sample>& samples, std::int64_t from) {
  std::int64_t longest = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i - 1].at >= from) longest = std::max(longest, samples[i].at - samples[i - 1].at);
  }
  return longest;
}

// When the hog was signalled; 0: not yet.
std::int64_t SignalledAt(const HogReport& report) {
  const std::int64_t handled = report.signal_ns.load(std::memory_order_acquire);
  if (handled != 0) return handled;
  const auto pid = static_cast<pid_t>(report.pid.load(std::memory_order_relaxed));
  return pid != 0 && ::kill(pid, 0) != 0 && errno == ESRCH ? NowNanos() : 0;
}

struct Recording {
  std::vector<Sample> samples;
  std::int64_t signalled = 0;  // 0: it was not
};

// Looks until some time after the signal.
Recording Record(NodeMemory& node, const HogReport& report, std::int64_t threshold, Pace pace) {
  const auto [period, timeout] = pace;
  Recording recording;
  auto& [samples, signalled] = recording;
  samples.reserve(static_cast<std::size_t>(timeout / period) + 1);
  const std::int64_t start = NowNanos();
  for (std::int64_t due = start; due - start < timeout; due = std::max(due + period, NowNanos())) {
    const timespec at{.tv_sec = due / 1'000'000'000, .tv_nsec = due % 1'000'000'000};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
    }
    samples.push_back(Look(node));
    if (std::abs(samples.back().available - threshold) < kNearThreshold) due -= period;
    if (signalled == 0) signalled = SignalledAt(report);
    if (signalled != 0 && samples.back().at > signalled + kAfterSignal) break;
  }
  return recording;
}

std::string OrNull(bool known, double value) {
  return known ? std::to_string(value) : "null";
}

void Print(const std::vector<Sample>& samples, std::int64_t threshold, std::int64_t signalled) {
  const auto crossed = CrossingOf(samples, threshold);
  const bool both = crossed && signalled != 0;
  const std::int64_t until = signalled != 0 ? signalled : INT64_MAX;
  const std::int64_t least = LeastAvailable(samples, threshold, until);
  std::printf(
      "{\"crossedNs\": %s, \"signalledNs\": %s, \"latencyMs\": %s, \"belowMs\": %s, "
      "\"overshootBytes\": %lld, "
      "\"longestGapUs\": %.0f}\n",
      crossed ? std::to_string(*crossed).c_str() : "null",
      signalled != 0 ? std::to_string(signalled).c_str() : "null",
      OrNull(both, both ? static_cast<double>(signalled - *crossed) / 1e6 : 0).c_str(),
      OrNull(both, static_cast<double>(TimeBelow(samples, threshold, signalled)) / 1e6).c_str(),
      static_cast<long long>(threshold - least),
      static_cast<double>(LongestGap(samples, crossed.value_or(0) - kNearCrossing)) / 1e3);
}

}  // namespace
}  // namespace jettison::measure

int main(int argc, char** argv) {
  using namespace jettison::measure;
  if (argc != 8) {
    std::fprintf(stderr,
                 "usage: measure_watch CGROUP CAPACITY_BYTES THRESHOLD_BYTES REPORT GATE PERIOD_US "
                 "TIMEOUT_S\n");
    return 2;
  }
  NodeMemory node(argv[1], std::atoll(argv[2]));
  const std::int64_t threshold = std::atoll(argv[3]);
  const HogReport* report = MapReport(argv[4]);
  if (report == nullptr) Die(argv[4]);
  ::setpriority(PRIO_PROCESS, 0, -20);  // where it may not, it is only less sharp
  const int gate = ::open(argv[5], O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (gate < 0) Die(argv[5]);
  ::close(gate);

  const Pace pace = {.period = std::atoll(argv[6]) * 1'000,
                     .timeout = std::atoll(argv[7]) * 1'000'000'000};
  const auto [samples, signalled] = Record(node, *report, threshold, pace);
  Print(samples, threshold, signalled);
  return CrossingOf(samples, threshold) && signalled != 0 ? 0 : 1;
}
