#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/recording/recording_file.h"
#include "cli/simulate/input_stream.h"
#include "cli/simulate/scenario_source.h"
#include "core/recording/recording.h"

namespace jettison {

// What is simulated: a recording, or scenarios, in a file or on standard input ("-"), told apart by
// how they begin.
class SimulatedFile {
 public:
  // Fails where it cannot be opened.
  [[nodiscard]] static Result<SimulatedFile> Open(const std::string& path);

  [[nodiscard]] RecordingSource& source();
  [[nodiscard]] const std::string& name() const { return name_; }
  // Whether these are scenarios, which name no node.
  [[nodiscard]] bool has_scenarios() const { return scenarios_ != nullptr; }
  // The bytes that it is read from.
  [[nodiscard]] InputStream& stream() { return *stream_; }
  [[nodiscard]] const InputStream& stream() const { return *stream_; }

 private:
  std::string name_;
  std::unique_ptr<InputStream> stream_;
  // One of the two.
  std::optional<RecordingFile> recording_;
  std::unique_ptr<ScenarioSource> scenarios_;
};

}  // namespace jettison
