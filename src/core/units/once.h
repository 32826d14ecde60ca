#pragma once

#include <utility>

namespace jettison {

// For what is said or done once.
class Once {
 public:
  // True the first time.
  [[nodiscard]] bool Take() { return !std::exchange(taken_, true); }
  // The next time is the first again.
  void Reset() { taken_ = false; }

 private:
  bool taken_ = false;
};

}  // namespace jettison
