#pragma once

#include <array>
#include <cstdint>

#include "core/model/signal.h"
#include "core/recording/recording.h"
#include "sim/series/signal_course.h"

namespace jettison {

// The courses of all signals of a node.
class NodeCourses {
 public:
  void Add(const RecordedItem& item);

  // Empty where the signal was never observed.
  [[nodiscard]] const SignalCourse& operator[](Signal signal) const {
    return courses_[IndexOf(signal)];
  }
  // As it was observed last; 0: never.
  [[nodiscard]] std::int64_t CapacityOf(Signal signal) const {
    return capacities_[IndexOf(signal)];
  }

 private:
  std::array<SignalCourse, kSignalCount> courses_;
  std::array<std::int64_t, kSignalCount> capacities_{};
};

}  // namespace jettison
