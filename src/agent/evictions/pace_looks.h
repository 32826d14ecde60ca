#pragma once

#include <algorithm>
#include <optional>

#include "core/units/duration.h"

namespace jettison {

// When the node is looked at while pods are ending or an eviction waits: every few milliseconds at
// first, less often later.
class PaceLooks {
 public:
  // Something to look after has begun.
  void Begin(Instant now) { since_ = now; }
  // Plans the next look, where there is `any` need of one.
  void Plan(bool any, Instant now) {
    due_.reset();
    if (any) due_ = now + std::clamp(Elapsed(since_, now) / 20, kShortest, kLongest);
  }
  // Whether a look now also counts process IDs. It does so only now and then, because files have to
  // be opened for it.
  [[nodiscard]] bool CountsPids(Instant now) {
    if (now < pids_due_) return false;
    pids_due_ = now + kPidSpacing;
    return true;
  }
  // Absent: none is needed.
  [[nodiscard]] std::optional<Instant> due() const { return due_; }

 private:
  static constexpr Duration kShortest = std::chrono::milliseconds(5);
  static constexpr Duration kLongest = std::chrono::milliseconds(20);
  static constexpr Duration kPidSpacing = std::chrono::milliseconds(20);

  std::optional<Instant> due_;
  Instant since_;
  Instant pids_due_;
};

}  // namespace jettison
