#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"
#include "view/recording_desk.h"

namespace jettison {

// Hands out a recording in pieces: segments as they are on the disk, those that are begun meanwhile
// included, and then what could not be written. It holds one piece, one descriptor and the names of
// the files; a file that is deleted meanwhile is left out.
class RecordingStream {
 public:
  // What is not on the disk.
  using Unwritten = std::function<std::string()>;
  static constexpr std::size_t kPiece = std::size_t{60} << 10;

  // `unwritten` is asked once, when all segments have been read, with nothing written in between.
  [[nodiscard]] static Result<RecordingStream> Open(const std::string& folder,
                                                    const RecordingTimes& times,
                                                    Unwritten unwritten);
  // The next bytes; absent: that was all. Fails if there is more that cannot be read.
  [[nodiscard]] Result<std::optional<std::string>> Next();

 private:
  RecordingStream(std::string folder, const RecordingTimes& times, Unwritten unwritten,
                  std::vector<std::string> files)
      : folder_(std::move(folder)),
        times_(times),
        unwritten_(std::move(unwritten)),
        files_(std::move(files)) {}
  // Takes in the segments that were begun after those that it knows.
  [[nodiscard]] Result<void> FindNewFiles();
  // False: that was the last one.
  [[nodiscard]] Result<bool> OpenNextFile();
  // Whether the file that is open, and ends where the next one begins, may have what is wanted.
  [[nodiscard]] Result<bool> IsWithin() const;
  // The next piece of what is not on the disk.
  [[nodiscard]] std::optional<std::string> NextOfUnwritten();

  std::string folder_;
  RecordingTimes times_;
  Unwritten unwritten_;
  std::vector<std::string> files_;
  std::size_t next_file_ = 0;
  FileDescriptor file_;
  std::uint64_t at_ = 0;    // in the file
  bool is_at_end_ = false;  // all files were read
  std::string rest_;        // what is left of what is not on the disk
};

}  // namespace jettison
