#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "codec/flight/item_encoder.h"
#include "core/recording/recording.h"

namespace jettison {

// A recording is a row of chunks, and a chunk can be read without the others:
//
//   kChunkMagic   16 bytes, a frame of zstd that it skips
//   frames        of zstd, each of which is messages (recording.proto, Item) with their sizes
//                 before them; the first one has the message Chunk alone
//
// So `zstd -dc` makes one stream of messages of it.
inline constexpr std::string_view kChunkMagic{"\x50\x2A\x4D\x18\x08\0\0\0JTREC 2\n", 16};

// How much a chunk may hold. A damaged recording loses the rest of a chunk, and each chunk begins
// with all its pods.
struct ChunkLimits {
  std::uint64_t passes = 512;
  std::size_t bytes = std::size_t{1} << 20;  // of messages, beside what it begins with
  Duration time = std::chrono::hours(2);     // from its first item
};

// Makes the chunks of a recording.
class RecordingWriter : public RecordingSink {
 public:
  // Takes whole frames, which follow one another; those of a new chunk begin with kChunkMagic.
  // Where it fails, what has not been written of the chunk is lost.
  using Write = std::function<Result<void>(std::string_view frames)>;

  explicit RecordingWriter(Write write, ChunkLimits limits = {});
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;
  ~RecordingWriter() override = default;

  // kInvalidArgument: the first item is no RecordingAbout.
  [[nodiscard]] Result<void> Add(const RecordedItem& item) override;
  [[nodiscard]] Result<void> Finish() override { return Cut(); }
  // Writes what was added so far. The chunk goes on.
  [[nodiscard]] Result<void> Flush();

 private:
  [[nodiscard]] Result<void> Begin(Instant first);
  // Ends the chunk.
  [[nodiscard]] Result<void> Cut();
  void PutMessage(const recording::Item& message);
  [[nodiscard]] bool IsFull(Instant at) const;

  Write write_;
  ChunkLimits limits_;
  ItemEncoder encoder_;
  std::optional<RecordingAbout> about_;
  std::uint64_t sequence_ = 0;   // of the chunk
  bool is_open_ = false;         // it has begun
  std::string frames_;           // that are not written yet
  std::string messages_;         // that are in none
  Instant first_;                // item of the chunk
  std::uint64_t passes_ = 0;     // in it
  std::size_t bytes_ = 0;        // of its messages
  std::size_t begins_with_ = 0;  // ... up to its first pass: its pods
};

// Writes a recording as NDJSON: a message of recording.proto, Item, a line, as protobuf maps it to
// JSON. A pass has all its figures.
class LineWriter : public RecordingSink {
 public:
  using Write = std::function<Result<void>(std::string_view line)>;

  explicit LineWriter(Write write);
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  ~LineWriter() override = default;

  [[nodiscard]] Result<void> Add(const RecordedItem& item) override;
  [[nodiscard]] Result<void> Finish() override { return {}; }

 private:
  void PutLine(const recording::Item& message);

  Write write_;
  ItemEncoder encoder_;
  Result<void> done_;  // of the lines of an item
};

}  // namespace jettison
