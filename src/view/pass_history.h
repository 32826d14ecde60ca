#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "core/pass/recorded_pass.h"

namespace jettison {

// Whether a pass did more than read and evaluate.
[[nodiscard]] bool DidSomething(const RecordedPass& pass);

// The last passes: `special` passes that did something (DidSomething), and `ordinary` others. They
// hold the figures of `most_pods` pods at most, each pass counting its own, so that memory does not
// grow with passes times pods; the last two of each kind stay whatever they hold.
class PassHistory {
 public:
  struct Limits {
    std::size_t ordinary = 8;
    std::size_t special = 32;
    std::size_t most_pods = 2048;  // some 1 MiB
  };

  PassHistory() = default;
  explicit PassHistory(Limits limits) : limits_(limits) {}

  void Add(std::shared_ptr<const RecordedPass> pass);
  // Oldest first.
  [[nodiscard]] std::vector<std::shared_ptr<const RecordedPass>> Passes() const;

 private:
  using Ring = std::deque<std::shared_ptr<const RecordedPass>>;
  static constexpr std::size_t kLeast = 2;

  void DropOldestOf(Ring& ring);

  Limits limits_;
  Ring ordinary_;
  Ring special_;
  std::size_t pods_ = 0;  // of all passes
};

}  // namespace jettison
