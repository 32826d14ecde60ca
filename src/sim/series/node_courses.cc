#include "sim/series/node_courses.h"

#include <memory>
#include <variant>

#include "core/observe/observations.h"

namespace jettison {

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
