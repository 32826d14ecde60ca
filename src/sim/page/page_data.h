#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/signal.h"
#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "sim/recommend/recommendation.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// What was available of a signal, in stretches of equal length: the least and the most of each.
// There are never more than kMostStretches; where time goes beyond them, each two become one.
class SignalCourse {
 public:
  static constexpr std::size_t kMostStretches = 600;

  struct Stretch {
    std::int64_t least = 0;
    std::int64_t most = 0;
  };

  // A figure from before the first one is left out.
  void Add(Instant at, std::int64_t available);

  [[nodiscard]] bool empty() const { return stretches_.empty(); }
  [[nodiscard]] Instant from() const { return from_; }
  [[nodiscard]] Duration width() const { return width_; }  // of a stretch
  // In the order of time, from `from` on; absent: no figure lies in it.
  [[nodiscard]] const std::vector<std::optional<Stretch>>& stretches() const { return stretches_; }
  // Of all of it; 0 where nothing was added.
  [[nodiscard]] Stretch extremes() const { return extremes_; }

 private:
  void Halve();

  std::vector<std::optional<Stretch>> stretches_;
  Instant from_;
  Duration width_ = std::chrono::seconds(1);
  Stretch extremes_;
};

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

// So many evictions of a policy and recording are told, and so many OOM kills.
inline constexpr std::size_t kMostOnPage = 500;

// So many recordings have their courses and evictions on the page, which would else grow by up to
// some hundred kilobytes with each: those with the most evictions and OOM kills in the policies
// that are told, of equal ones the first.
inline constexpr std::size_t kMostDetailed = 50;

// The data of the report page: JSON in which no character can end a script element or begin a
// comment. Moments are milliseconds since 1970. Every report has its courses. Policies that a
// recommendation (null: of `simulate`) has not on its front have their costs only, and so have
// those of recordings without details.
[[nodiscard]] std::string PageData(const std::vector<SimulationReport>& reports,
                                   const Recommendation* recommendation);

}  // namespace jettison
