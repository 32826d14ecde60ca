#include "cli/simulate/recording_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "cli/simulate/scenario_source.h"

namespace jettison {

Result<RecordingFile> RecordingFile::Open(const std::string& path) {
  RecordingFile recording;
  recording.name_ = path == "-" ? "standard input" : path;
  recording.file_.reset(path == "-" ? stdin : std::fopen(path.c_str(), "re"));
  if (!recording.file_) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  std::FILE* const file = recording.file_.get();
  if (path != "-" && std::fseek(file, 0, SEEK_END) == 0) {
    recording.size_ = std::ftell(file);
    std::rewind(file);
  }
  recording.source_ = std::make_unique<ScenarioSource>(recording.name_, file);
  return recording;
}

double RecordingFile::Progress() const {
  const long at = size_ > 0 ? std::ftell(file_.get()) : 0;
  return at > 0 ? static_cast<double>(at) / static_cast<double>(size_) : 0;
}

}  // namespace jettison
