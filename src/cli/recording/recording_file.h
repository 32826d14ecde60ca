#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "codec/flight/recording_reader.h"
#include "core/recording/recording.h"
#include "core/units/result.h"

namespace jettison {

// A recording in a file, binary or as NDJSON, told apart by its first byte.
class RecordingFile {
 public:
  // "-" is standard input. Fails where it cannot be opened, and where it is a folder or empty.
  [[nodiscard]] static Result<RecordingFile> Open(const std::string& path);
  // The same of a stream that is open and stays so.
  explicit RecordingFile(std::FILE* stream);

  [[nodiscard]] RecordingSource& source() { return *source_; }
  // What was found of a binary one; null: it is NDJSON.
  [[nodiscard]] const RecordingFound* found() const;
  // How much of it has been read, from 0 to 1; 0 where its length is not known.
  [[nodiscard]] double Progress() const;

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const {
      if (file != stdin) std::fclose(file);
    }
  };
  std::unique_ptr<std::FILE, CloseFile> owned_;
  std::unique_ptr<RecordingReader> binary_;
  std::unique_ptr<RecordingSource> lines_;
  RecordingSource* source_ = nullptr;
  std::FILE* stream_;
};

// What to say of an input without a single byte, which is a failed download more often than a
// recording of nothing.
[[nodiscard]] std::string EmptyInput(const std::string& name);

// Whether a stream has no byte; nothing is taken from it. False where it cannot be read.
[[nodiscard]] bool IsEmpty(std::FILE* stream);

// Whether a stream begins as a binary recording does; nothing is taken from it.
[[nodiscard]] bool IsBinaryRecording(std::FILE* stream);

}  // namespace jettison
