#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/simulate/candidates.h"
#include "core/recording/recording.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// What the commands do with a recording.
struct RecordingRun {
  std::string path;
  CandidateForms candidates;
  std::optional<AfterEviction> after_eviction;
  // Of the calibration; zero: as recorded.
  Duration every{0};
  bool without_peaks = false;
  bool with_end_times = false;
  bool thin_all = false;  // the simulation has no more than the calibration
  bool shows_progress = false;
  bool keep_passes = false;  // of evictions
  // Policies beside those candidates, made of the first pass.
  std::function<std::vector<CandidatePolicy>(const RecordedPass& first)> more;
  // Receives every item before it is simulated.
  std::function<void(const RecordedItem& item)> onlooker;
};

// "back" or "elsewhere"; none for "auto".
[[nodiscard]] std::optional<AfterEviction> AfterEvictionNamed(const std::string& name);

// What a run failed with: a message, and what is at fault.
struct RunFailure {
  enum class Cause : std::uint8_t { kReading, kRecording, kUsage };
  std::string message;
  Cause cause = Cause::kReading;
};
// 1 or 2, as all commands have it.
[[nodiscard]] int ExitStatusOf(const RunFailure& failure);

// Simulates every policy and calibrates, in one reading of the recording.
[[nodiscard]] tl::expected<SimulationReport, RunFailure> RunOver(const RecordingRun& run);

// The same of a source that is open. `name` is the recording's for people; `tell` is called as it
// is read.
[[nodiscard]] tl::expected<SimulationReport, RunFailure> RunOver(
    const RecordingRun& run, RecordingSource& source, const std::string& name,
    const std::function<void()>& tell = {});

}  // namespace jettison
