#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "core/pass/recorded_pass.h"

namespace jettison {

// Passes whose evictions are to be explained, oldest first. Their memory is bounded, because they
// wait for as long as a disk hangs: where they exceed it the oldest are dropped, but never the
// newest one.
class WaitingPasses {
 public:
  using Pass = std::shared_ptr<const RecordedPass>;

  // `max_bytes` as BytesOf counts them.
  WaitingPasses(std::size_t max_passes, std::size_t max_bytes)
      : max_passes_(max_passes), max_bytes_(max_bytes) {}

  // Adds one, and returns those that were dropped for it.
  [[nodiscard]] std::vector<Pass> Add(Pass pass);
  // The oldest one that has not been returned yet; null: there is none. If it stays, StartOver
  // makes it the next one again.
  [[nodiscard]] Pass Next(bool stays);
  // Returns those that stayed once more.
  void StartOver() { returned_ = 0; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    Pass pass;
    std::size_t bytes = 0;
  };

  std::size_t max_passes_;
  std::size_t max_bytes_;
  std::deque<Entry> entries_;
  std::size_t returned_ = 0;  // of them, at the front
  std::size_t bytes_ = 0;     // of all
};

}  // namespace jettison
