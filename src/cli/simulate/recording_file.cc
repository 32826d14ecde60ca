#include "cli/simulate/recording_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "cli/simulate/scenario_source.h"
#include "codec/flight/chunk_header.h"
#include "codec/flight/lines/line_reader.h"
#include "codec/flight/recording_reader.h"
#include "kernel/files/line_reader.h"

namespace jettison {
namespace {

Error ReadFault(const std::string& name) {
  return {ErrorCode::kUnavailable, fmt::format("cannot read {}: {}", name, std::strerror(errno))};
}

// Chunks of an agent's recorder.
std::unique_ptr<RecordingSource> Chunks(const std::string& name, std::FILE* file) {
  return std::make_unique<RecordingReader>(
      [name, file](std::span<char> into) -> Result<std::size_t> {
        const std::size_t read = std::fread(into.data(), 1, into.size(), file);
        if (read == 0 && std::ferror(file) != 0) return Fail(ReadFault(name));
        return read;
      });
}

// Its items as NDJSON.
std::unique_ptr<RecordingSource> Lines(const std::string& name, std::FILE* file) {
  auto lines = std::make_shared<LineReader>(file, ScenarioReader::kPadding);
  return std::make_unique<RecordingLines>(
      [name, lines]() -> Result<std::optional<std::string_view>> {
        const auto line = lines->Next();
        if (!line && lines->Failed()) return Fail(ReadFault(name));
        return line;
      });
}

// What a file begins with, as far as one character can be put back: that tells chunks from lines.
// Of lines in a file the first ones tell which; standard input is taken for scenarios.
std::unique_ptr<RecordingSource> SourceOf(const std::string& name, std::FILE* file) {
  const int first = std::fgetc(file);
  if (first != EOF) std::ungetc(first, file);
  if (first == static_cast<unsigned char>(kChunkMagic.front())) return Chunks(name, file);
  constexpr std::string_view kAbout = "{\"about\":";
  std::string head(kAbout.size(), '\0');
  const long at = std::ftell(file);
  if (at >= 0) {
    head.resize(std::fread(head.data(), 1, head.size(), file));
    std::fseek(file, at, SEEK_SET);
  }
  if (head == kAbout) return Lines(name, file);
  return std::make_unique<ScenarioSource>(name, file);
}

}  // namespace

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
  recording.source_ = SourceOf(recording.name_, file);
  return recording;
}

double RecordingFile::Progress() const {
  const long at = size_ > 0 ? std::ftell(file_.get()) : 0;
  return at > 0 ? static_cast<double>(at) / static_cast<double>(size_) : 0;
}

}  // namespace jettison
