#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/agent_config.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"
#include "view/snapshot.h"

namespace jettison {

// The files of a recording on the disk: 0000000017.jtr is a segment, which has a chunk; the one
// with the highest number grows. An agent that is started anew begins a new one.
//
// On a full disk, the oldest segments make room for the newest one.
//
// The age of a segment is the time that has been recorded since it ended. The time that passed from
// one segment of earlier agents to the next, or to the start of this one, counts for at most half
// of the maximum age: the files tell it by real time, which may have been years off. So a wrong
// clock alone deletes nothing, and what is old goes when the recording goes on.
class RecordingFolder {
 public:
  // Forces what was written to the disk, as fdatasync(2) does: 0, or -1 with errno.
  using Sync = int (*)(int file);

  RecordingFolder(std::string folder, const RecordingConfig& config, Sync sync = &::fdatasync);

  // Makes the folder, and learns what an agent before has left. Nothing is written while that
  // cannot be read.
  [[nodiscard]] Result<void> Open();
  // Puts frames behind the others; those that a chunk begins with, into a new segment. `now` is
  // when they ended, which tells what is too old. What cannot be written is lost.
  [[nodiscard]] Result<void> Append(std::string_view frames, Instant now);
  // Bytes of all segments.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Segment {
    std::string path;
    std::uint64_t bytes = 0;
    Instant ended;  // about; by its file, until DateFound
  };
  [[nodiscard]] Result<void> FindSegments();
  [[nodiscard]] Result<void> BeginSegment();
  [[nodiscard]] Result<void> Write(std::string_view frames, Instant now);
  void DateFound(Instant now);
  void ForgetOld(Instant now);
  void ForgetOldest();

  std::string folder_;
  Sync sync_;
  std::uint64_t max_bytes_;
  Duration max_age_;
  std::vector<Segment> segments_;  // the last one is written to
  FileDescriptor file_;            // that one; none: nothing was written yet
  bool is_open_ = false;
  bool is_dated_ = false;  // the segments of an agent before have their ages
  std::uint64_t bytes_ = 0;
};

// Names of its files in the order of time, with paths.
[[nodiscard]] Result<std::vector<std::string>> SegmentsIn(const std::string& folder);

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
