#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "core/pass/recorded_pass.h"

namespace jettison {

// Whether a pass did more than read and evaluate.
[[nodiscard]] bool DidSomething(const RecordedPass& pass);

// The last passes: `special` passes that did something (DidSomething), and `ordinary` others.
class PassHistory {
 public:
  explicit PassHistory(std::size_t ordinary = 8, std::size_t special = 32)
      : ordinary_limit_(ordinary), special_limit_(special) {}

  void Add(std::shared_ptr<const RecordedPass> pass);
  // Oldest first.
  [[nodiscard]] std::vector<std::shared_ptr<const RecordedPass>> Passes() const;

 private:
  using Ring = std::deque<std::shared_ptr<const RecordedPass>>;
  std::size_t ordinary_limit_;
  std::size_t special_limit_;
  Ring ordinary_;
  Ring special_;
};

}  // namespace jettison
