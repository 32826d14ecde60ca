#pragma once

#include <cstdint>
#include <string>

#include "core/units/duration.h"

namespace jettison {

// What the flight recorder has done since the agent started.
struct RecorderCounters {
  std::uint64_t passes = 0;        // taken in
  std::uint64_t dropped = 0;       // items that it had no time for
  std::uint64_t chunks = 0;        // written
  std::uint64_t bytes = 0;         // of those
  std::uint64_t write_errors = 0;  // chunks that could not be written
  std::uint64_t held_bytes = 0;    // on the disk now
};

// The agent's recording, for onlookers on any thread.
class RecordingDesk {
 public:
  virtual ~RecordingDesk() = default;
  // Where its files are.
  [[nodiscard]] virtual const std::string& folder() const = 0;
  // Writes everything that was recorded until now to the disk, and waits at most `patience` for it.
  // Returns whether it is written.
  [[nodiscard]] virtual bool Save(Duration patience) = 0;
  [[nodiscard]] virtual RecorderCounters counters() const = 0;
};

}  // namespace jettison
