#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/model/eviction.h"
#include "core/model/signal.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"
#include "core/units/duration.h"

namespace jettison {

// Whether a pass did more than read and evaluate.
[[nodiscard]] bool DidSomething(const RecordedPass& pass);

// The last passes: 32 that did something (DidSomething), and 8 others. They hold the figures of
// 2048 pods at most, some 1 MiB, each pass counting its own, so that memory does not grow with
// passes times pods; the last two of each kind stay whatever they hold.
class PassHistory {
 public:
  void Add(std::shared_ptr<const RecordedPass> pass);
  // Oldest first.
  [[nodiscard]] std::vector<std::shared_ptr<const RecordedPass>> Passes() const;

 private:
  using Ring = std::deque<std::shared_ptr<const RecordedPass>>;
  void DropOldestOf(Ring& ring);

  Ring ordinary_;
  Ring special_;
  std::size_t pods_ = 0;  // of all passes
};

// The available amount of each signal at one moment; `known` says which signals were measured.
struct SignalSample {
  Instant at;
  std::array<std::int64_t, kSignalCount> available{};
  std::bitset<kSignalCount> known;
};

// The signals over the last hour: one sample for each pass, but at most one a second.
class SignalHistory {
 public:
  void Add(const Observations& observations, Instant now);
  // Oldest first.
  [[nodiscard]] std::vector<SignalSample> Samples() const {
    return {samples_.begin(), samples_.end()};
  }

 private:
  std::deque<SignalSample> samples_;
};

}  // namespace jettison
