#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"
#include "view/served_recording.h"

namespace jettison {

// Hands out a recording in pieces: the segments that are on the disk when it is opened, and what is
// put into the last one meanwhile. It holds one piece, one descriptor and the names of the files; a
// file that is deleted meanwhile is left out.
class RecordingStream {
 public:
  static constexpr std::size_t kPiece = std::size_t{60} << 10;

  [[nodiscard]] static Result<RecordingStream> Open(const std::string& folder,
                                                    const RecordingTimes& times);
  // The next bytes; absent: that was all. Fails if there is more that cannot be read.
  [[nodiscard]] Result<std::optional<std::string>> Next();

 private:
  RecordingStream(const RecordingTimes& times, std::vector<std::string> files)
      : times_(times), files_(std::move(files)) {}
  // False: that was the last one.
  [[nodiscard]] Result<bool> OpenNextFile();
  // Whether the file that is open, and ends where the next one begins, may have what is wanted.
  [[nodiscard]] Result<bool> IsWithin() const;

  RecordingTimes times_;
  std::vector<std::string> files_;
  std::size_t next_file_ = 0;
  FileDescriptor file_;
  std::uint64_t at_ = 0;  // in the file
};

}  // namespace jettison
