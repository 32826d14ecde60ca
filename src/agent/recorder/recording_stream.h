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

// Hands out a recording in pieces, chunk after chunk: segments as they are on the disk, those that
// are begun meanwhile included, and then the open chunk. It holds one piece, one descriptor and the
// names of the files; a file that is deleted meanwhile is left out.
class RecordingStream {
 public:
  // The chunk that is not complete yet; empty: there is none.
  using OpenChunk = std::function<Result<std::string>()>;
  static constexpr std::size_t kPiece = std::size_t{60} << 10;

  // `open` is asked once, when all segments have been read.
  [[nodiscard]] static Result<RecordingStream> Open(const std::string& folder,
                                                    const RecordingTimes& times, OpenChunk open);
  // The next bytes; absent: that was all. Fails if there is more that cannot be read.
  [[nodiscard]] Result<std::optional<std::string>> Next();

 private:
  RecordingStream(std::string folder, const RecordingTimes& times, OpenChunk open_chunk,
                  std::vector<std::string> files)
      : folder_(std::move(folder)),
        times_(times),
        open_chunk_(std::move(open_chunk)),
        files_(std::move(files)) {}
  // Takes in the segments that were begun after those that it knows.
  [[nodiscard]] Result<void> FindNewFiles();
  // False: that was the last one.
  [[nodiscard]] Result<bool> OpenNextFile();
  // Looks at the chunk that begins here; false: the file ends.
  [[nodiscard]] Result<bool> FindChunk();
  // The next bytes of the file that is open; empty: it ends.
  [[nodiscard]] Result<std::string> NextOfFile();
  [[nodiscard]] Result<void> ReadOpenChunk();
  [[nodiscard]] Result<std::optional<std::string>> NextOfOpenChunk();
  [[nodiscard]] bool IsWithin(const RecordedStretch& stretch) const;

  std::string folder_;
  RecordingTimes times_;
  OpenChunk open_chunk_;
  std::vector<std::string> files_;
  std::size_t next_file_ = 0;
  FileDescriptor file_;
  std::uint64_t at_ = 0;    // in the file
  std::uint64_t left_ = 0;  // of the chunk, or of what is none
  bool open_was_read_ = false;
  std::string open_;  // what is left of the chunk that is not complete
};

}  // namespace jettison
