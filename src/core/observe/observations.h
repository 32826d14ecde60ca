#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/units/duration.h"

namespace jettison {

// One signal as read in one pass. Bytes, inodes, process ids, or time not lost to stalls in
// hundredths of a percent (core/model/pressure.h), by signal.
struct Observation {
  std::int64_t available = 0;
  std::int64_t capacity = 0;
  std::optional<Instant> time;  // absent: the source does not say when it measured
  // Of memory: what is charged, page cache that can be taken back included; absent: not known.
  std::optional<std::int64_t> usage = std::nullopt;
};

// What a pass knows of each signal; an absent one was not measured.
struct Observations {
  std::array<std::optional<Observation>, kSignalCount> by_signal;

  [[nodiscard]] const std::optional<Observation>& operator[](Signal signal) const {
    return by_signal[IndexOf(signal)];
  }
  [[nodiscard]] std::optional<Observation>& operator[](Signal signal) {
    return by_signal[IndexOf(signal)];
  }
};

// Reads every signal out of the figures of a node. A signal needs its available amount and its
// capacity; where one of them is unknown, so is the signal, and that of swap where there is none.
// (kubelet: makeSignalObservations, 1.36; it has none of pressure and swap)
[[nodiscard]] Observations ObservationsFrom(const NodeStats& node);
[[nodiscard]] inline Observations ObservationsFrom(const Summary& summary) {
  return ObservationsFrom(summary.node);
}

// Whether a node that has been read has nothing that the signal tells of: no swap, or a file system
// that counts no inodes (btrfs). A threshold on it is never met. That is no fault, unlike a signal
// that could not be read.
[[nodiscard]] bool HasNoSuch(const NodeStats& node, Signal signal);

}  // namespace jettison
