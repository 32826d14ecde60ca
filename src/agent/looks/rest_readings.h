#pragma once

#include <optional>

#include "core/units/duration.h"

namespace jettison {

// When the figures of the node besides memory are read for a watch pass. To read them may take
// longer than everything else that a pass does.
class RestReadings {
 public:
  // What a watch pass knows before it reads them.
  struct Question {
    bool acts_for_memory = false;  // a hard threshold on memory acts, which must not wait for them
    bool is_near = false;          // usage is just before a threshold, so passes are frequent
    Instant now;
  };

  // They are read for a pass, whatever it is about.
  void Read(Instant now) {
    read_at_ = now;
    left_out_ = false;
  }
  // Whether they stay as they are: where a pass acts for memory, but not twice running, and where
  // usage is near a threshold, until they are as old as kOldest. If not, they are read now.
  [[nodiscard]] bool LeaveOut(const Question& pass) {
    if (pass.acts_for_memory && !left_out_) {
      left_out_ = true;
      return true;
    }
    if (pass.is_near && read_at_ && pass.now < *read_at_ + kOldest) return true;
    Read(pass.now);
    return false;
  }

 private:
  // As long as the agent stays near a threshold.
  static constexpr Duration kOldest = std::chrono::milliseconds(30);

  std::optional<Instant> read_at_;
  bool left_out_ = false;  // by the last pass, because it acted for memory
};

}  // namespace jettison
