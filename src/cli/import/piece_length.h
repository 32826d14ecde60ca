#pragma once

#include <cstddef>

#include "core/units/duration.h"

namespace jettison {

// How much time one query covers. It grows while answers are small, and stays below what was
// refused; that is forgotten after a while, because the load of a server changes.
class PieceLength {
 public:
  // As much of a series as Prometheus gives in one answer to a range query.
  static constexpr std::size_t kMostPoints = 11'000;

  [[nodiscard]] Duration length() const { return length_; }
  // Whether less can be asked for.
  [[nodiscard]] bool CanShrink() const;
  // The answer was too large, or came too late.
  void Refused();
  // In the answer a series had as many samples, and none had more.
  void Answered(std::size_t points);

 private:
  static constexpr Duration kFirst = std::chrono::hours(1);
  Duration length_ = kFirst;
  Duration limit_ = Duration::max();
  int answers_ = 0;  // since the limit was set
};

}  // namespace jettison
