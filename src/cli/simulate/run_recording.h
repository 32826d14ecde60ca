#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/simulate/candidates.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// What the commands do with a recording.
struct RecordingRun {
  std::string path;
  CandidateOptions candidates;
  std::optional<AfterEviction> after_eviction;
  // Of the calibration; zero: as recorded.
  Duration every{0};
  bool without_peaks = false;
  bool with_end_times = false;
  bool thin_all = false;  // the simulation has no more than the calibration
  bool shows_progress = false;
  bool keep_passes = false;  // of evictions
};

// What a run failed with: a message, and whether the arguments are at fault.
struct RunFailure {
  std::string message;
  bool is_usage = false;
};

// Simulates every policy and calibrates, in one reading of the recording.
[[nodiscard]] tl::expected<SimulationReport, RunFailure> RunOver(const RecordingRun& run);

// Writes a text to standard output; the exit status.
[[nodiscard]] int PrintAll(const std::string& text);

}  // namespace jettison
