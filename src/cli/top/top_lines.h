#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/overview/overview.h"
#include "core/units/duration.h"

namespace jettison {

// `jettison top` as lines, for logs and pipes: the node in one line each time, after the events
// that are new since the time before.
class TopLines {
 public:
  [[nodiscard]] std::vector<std::string> News(const Overview& overview);

 private:
  std::optional<Instant> told_until_;
};

}  // namespace jettison
