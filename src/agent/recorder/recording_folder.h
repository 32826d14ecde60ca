#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/agent_config.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison {

// The files of a recording on the disk:
//
//   0000000017.jtr   a segment, chunks one after another; the one with the highest number grows
//   open             the chunk that is not complete yet
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

  // Makes the folder, goes on in the last segment of an agent before or begins a new one where that
  // is full or damaged, and keeps the chunk that was left open. Nothing is written while what that
  // agent has left cannot be read.
  [[nodiscard]] Result<void> Open();
  // Puts a chunk behind the others. `now` is when it ended, which tells what is too old.
  [[nodiscard]] Result<void> Append(std::string_view chunk, Instant now);
  // Keeps the chunk that is not complete, in the place of the one that was kept before.
  [[nodiscard]] Result<void> SaveOpen(std::string_view chunk);
  // Bytes of all chunks.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Segment {
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;
    Instant ended;  // about; by its file, until DateFound
  };
  [[nodiscard]] std::string PathOf(std::uint64_t number) const;
  [[nodiscard]] Result<void> FindSegments();
  [[nodiscard]] Result<void> TakeUp();
  void GoOn();
  [[nodiscard]] Result<void> BeginSegment();
  [[nodiscard]] Result<void> WriteToSegment(std::string_view chunk, Instant now);
  void DateFound(Instant now);
  void ForgetOld(Instant now);
  void ForgetOldest();

  std::string folder_;
  Sync sync_;
  std::uint64_t max_bytes_;
  Duration max_age_;
  std::uint64_t segment_bytes_;
  std::vector<Segment> segments_;  // the last one is written to
  FileDescriptor file_;            // that one; none: it is to be begun
  bool is_taken_up_ = false;       // what an agent before has left
  bool is_dated_ = false;          // its segments have their ages
  std::uint64_t bytes_ = 0;
};

// Names of its files in the order of time, with paths.
[[nodiscard]] Result<std::vector<std::string>> SegmentsIn(const std::string& folder);
// The chunk that was saved last without being complete; empty: there is none. Fails if the file is
// there and cannot be read.
[[nodiscard]] Result<std::string> OpenChunkIn(const std::string& folder);

}  // namespace jettison
