#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// What the flight recorder has done since the agent started.
struct RecorderCounters {
  std::uint64_t passes = 0;        // taken in
  std::uint64_t dropped = 0;       // items that it had no time for
  std::uint64_t bytes = 0;         // of the chunks that were written
  std::uint64_t write_errors = 0;  // chunks that could not be written
};

// The time of which a client wants the recording: chunks that hold nothing of it are left out.
// Absent: no bound.
struct RecordingTimes {
  std::optional<Instant> since;
  std::optional<Instant> until;
};

// A recording on its way to one client, which gives it up by destroying this. For one thread.
// Answers the next bytes, and never waits. Empty: they are being read, and the client is woken when
// they are there. Absent: that was all. Fails if there is more that cannot be read.
using RecordingFetch = std::function<Result<std::optional<std::string>>()>;

// The agent's recording, for onlookers on any thread.
class ServedRecording {
 public:
  // Wakes a client on the thread of the recorder; it must not wait.
  using WakeClient = std::function<void()>;

  virtual ~ServedRecording() = default;
  // Everything that was recorded before its first bytes are read, also what is not on the disk yet.
  // The disk is read on the recorder's thread, so no client waits for it. kUnavailable: as many
  // clients as are served at a time are there already, or the recorder has ended. The recording
  // must outlive the fetch, and `wake` is not called any more when the fetch is destroyed.
  [[nodiscard]] virtual Result<RecordingFetch> Fetch(const RecordingTimes& times,
                                                     WakeClient wake) = 0;
  [[nodiscard]] virtual RecorderCounters counters() const = 0;
};

}  // namespace jettison
