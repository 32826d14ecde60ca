#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "cli/recording/recording_file.h"
#include "cli/simulate/scenario_source.h"
#include "core/recording/recording.h"

namespace jettison {

// What is simulated: a recording, or scenarios, in a file or on standard input ("-").
class SimulatedFile {
 public:
  // Fails where it cannot be opened.
  [[nodiscard]] static Result<SimulatedFile> Open(const std::string& path);

  [[nodiscard]] RecordingSource& source();
  [[nodiscard]] const std::string& name() const { return name_; }
  // How much of it has been read, from 0 to 1; 0 where its length is not known.
  [[nodiscard]] double Progress() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdin) std::fclose(file);
    }
  };

  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
  // One of the two.
  std::optional<RecordingFile> recording_;
  std::unique_ptr<ScenarioSource> scenarios_;
  long size_ = 0;
};

}  // namespace jettison
