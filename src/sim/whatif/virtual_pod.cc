#include "sim/whatif/virtual_pod.h"

#include <algorithm>
#include <chrono>

namespace jettison {
namespace {

// By what part the growth of a pod that came back may differ from its earlier growth.
constexpr double kVaries = 0.25;

double SecondsBetween(Instant from, Instant to) {
  return std::max(std::chrono::duration<double>(Elapsed(from, to)).count(), 0.0);
}

}  // namespace

double VirtualPod::MemoryAt(const RecordedCourse& course, Instant at) const {
  double memory = 0;
  switch (is) {
    case Is::kAway: return 0;
    case Is::kEnding:
      if (at >= gone) return 0;
      [[fallthrough]];
    case Is::kGoingOn: memory = from + growth.likely * SecondsBetween(since, at); break;
    case Is::kBack: memory = at < since ? 0 : course.AmountAtAge(life, Elapsed(since, at)); break;
  }
  return limit ? std::min(memory, static_cast<double>(*limit)) : memory;
}

VirtualPod::Spread VirtualPod::SpreadAt(const RecordedCourse& course, Instant at) const {
  const double seconds = SecondsBetween(since, at);
  switch (is) {
    case Is::kAway:
    case Is::kEnding: return {};
    case Is::kGoingOn:
      return {.less = (growth.likely - growth.least) * seconds,
              .more = (growth.most - growth.likely) * seconds};
    case Is::kBack: break;
  }
  const Duration age = Elapsed(since, at);
  const double growing = std::max(course.GrowthAtAge(life, age), 0.0);
  const double grown =
      std::max(course.AmountAtAge(life, age) - course.AmountAtAge(life, Duration{0}), 0.0);
  const auto in = [&](Duration shift) {
    return growing * std::chrono::duration<double>(shift).count() + grown * kVaries;
  };
  return {.less = in(late), .more = in(early)};
}

std::optional<Instant> VirtualPod::NextChange() const {
  switch (is) {
    case Is::kGoingOn:
    case Is::kBack: return std::nullopt;
    case Is::kEnding: return gone;
    case Is::kAway: return due;
  }
  __builtin_unreachable();
}

}  // namespace jettison
