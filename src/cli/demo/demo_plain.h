#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/demo/demo_screen.h"
#include "core/units/duration.h"

namespace jettison {

// The demo as lines, for logs and pipes: each act, each event, and the signals every other second.
class DemoLines {
 public:
  // What is new since the last call; every line begins with the time since the demo's start.
  [[nodiscard]] std::vector<std::string> News(const ScreenContent& content);

 private:
  std::optional<std::size_t> act_;
  std::uint64_t last_event_ = 0;
  std::optional<Instant> signals_told_;
};

}  // namespace jettison
