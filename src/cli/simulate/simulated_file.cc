#include "cli/simulate/simulated_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace jettison {
namespace {

// Whether it begins with the first item of a recording as NDJSON. Of standard input only one
// character can be put back, so that lines there are taken for scenarios.
bool BeginsAsRecording(std::FILE* file) {
  constexpr std::string_view kAbout = "{\"about\":";
  const long at = std::ftell(file);
  if (at < 0) return false;
  std::string head(kAbout.size(), '\0');
  head.resize(std::fread(head.data(), 1, head.size(), file));
  std::fseek(file, at, SEEK_SET);
  return head == kAbout;
}

}  // namespace

Result<SimulatedFile> SimulatedFile::Open(const std::string& path) {
  SimulatedFile simulated;
  simulated.name_ = path == "-" ? "standard input" : path;
  simulated.file_.reset(path == "-" ? stdin : std::fopen(path.c_str(), "re"));
  if (!simulated.file_) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  std::FILE* const file = simulated.file_.get();
  if (path != "-" && std::fseek(file, 0, SEEK_END) == 0) {
    simulated.size_ = std::ftell(file);
    std::rewind(file);
  }
  if (IsBinaryRecording(file) || BeginsAsRecording(file)) {
    simulated.recording_.emplace(file);
  } else {
    simulated.scenarios_ = std::make_unique<ScenarioSource>(simulated.name_, file);
  }
  return simulated;
}

RecordingSource& SimulatedFile::source() {
  if (recording_) return recording_->source();
  return *scenarios_;
}

double SimulatedFile::Progress() const {
  const long at = size_ > 0 ? std::ftell(file_.get()) : 0;
  return at > 0 ? static_cast<double>(at) / static_cast<double>(size_) : 0;
}

}  // namespace jettison
