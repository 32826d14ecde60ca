#include "sim/report/node_courses.h"

#include <algorithm>
#include <memory>
#include <variant>

#include "core/observe/observations.h"

namespace jettison {
namespace {

using Stretch = SignalCourse::Stretch;

std::optional<Stretch> Joined(const std::optional<Stretch>& a, const std::optional<Stretch>& b) {
  if (!a || !b) return a ? a : b;
  return Stretch{std::min(a->least, b->least), std::max(a->most, b->most)};
}

}  // namespace

void SignalCourse::Add(Instant at, std::int64_t available) {
  const Stretch figure{available, available};
  if (stretches_.empty()) {
    from_ = at;
    extremes_ = figure;
  }
  if (at < from_) return;
  const Duration since = Elapsed(from_, at);
  while (since / width_ >= static_cast<Duration::rep>(kMostStretches)) Halve();
  const auto place = static_cast<std::size_t>(since / width_);
  if (place >= stretches_.size()) stretches_.resize(place + 1);
  stretches_[place] = Joined(stretches_[place], figure);
  extremes_ = *Joined(extremes_, figure);
}

void SignalCourse::Halve() {
  const std::size_t half = (stretches_.size() + 1) / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const bool has_second = 2 * i + 1 < stretches_.size();
    stretches_[i] =
        has_second ? Joined(stretches_[2 * i], stretches_[2 * i + 1]) : stretches_[2 * i];
  }
  stretches_.resize(half);
  width_ *= 2;
}

void NodeCourses::Add(const RecordedItem& item) {
  const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item);
  if (pass == nullptr) return;
  const CycleReport& report = (*pass)->report;
  for (const Signal signal : kAllSignals) {
    const auto& seen = report.observations[signal];
    if (!seen) continue;
    courses_[IndexOf(signal)].Add(report.at, seen->available);
    capacities_[IndexOf(signal)] = seen->capacity;
  }
}

}  // namespace jettison
