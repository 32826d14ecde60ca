#pragma once

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "codec/flight/item_decoder.h"
#include "core/recording/recording.h"

namespace jettison {

// What was found of a recording beside its items.
struct RecordingFound {
  std::uint64_t bytes = 0;           // read
  std::uint64_t chunks = 0;          // whole ones
  std::uint64_t damaged_bytes = 0;   // that could not be read
  std::uint64_t chunks_missing = 0;  // by their numbers
};

// When the first item of the chunk was that these bytes begin with. Absent: they begin with none.
[[nodiscard]] std::optional<Instant> FirstOfChunk(std::string_view bytes);

// Reads a recording from any sequential source: as chunks, or where it begins with a brace as
// NDJSON, both of which RecordingWriter and LineWriter write.
//
// A fault is a damaged frame, bytes that belong to no chunk, or a line that makes no sense; the
// message says where it is. Reading goes on with the next chunk or line, and a gap precedes the
// next item; at the end the gap comes last. Chunks that are missing between two others are a gap,
// too. A RecordingAbout is returned where a start begins, and again where it is read again, because
// two recordings of a node follow one another.
class RecordingReader : public RecordingSource {
 public:
  // Reads up to so many bytes; 0: the end.
  using Read = std::function<Result<std::size_t>(std::span<char> into)>;

  explicit RecordingReader(Read read) : read_(std::move(read)) {}

  [[nodiscard]] Result<std::optional<RecordedItem>> Next() override;

  // Null: it is no binary recording.
  [[nodiscard]] const RecordingFound* found() const { return has_lines_ ? nullptr : &found_; }

 private:
  // Has so many bytes ready, or as many as there are.
  [[nodiscard]] Result<void> Fill(std::size_t bytes);
  [[nodiscard]] std::string_view Ready() const { return std::string_view(ready_).substr(at_); }
  void Take(std::size_t bytes);
  // Where `text` is next, from `from` on, and has the bytes before it ready; else where the bytes
  // end, or are too many.
  [[nodiscard]] Result<std::size_t> BytesUntil(std::string_view text, std::size_t from);
  // These have the next message ready; false: this was the end.
  [[nodiscard]] Result<bool> NextMessage();
  [[nodiscard]] Result<bool> NextOfLines();
  [[nodiscard]] Result<bool> NextOfChunks();
  [[nodiscard]] Result<bool> NextChunk();
  [[nodiscard]] Result<void> NextFrame();
  [[nodiscard]] tl::unexpected<Error> Lose(std::string_view why);
  [[nodiscard]] tl::unexpected<Error> PassOver(std::size_t bytes, std::string_view why);
  [[nodiscard]] bool GoesOn(const RecordingAbout& about);
  [[nodiscard]] RecordedItem BehindGap(RecordedItem item);

  Read read_;
  std::string ready_;        // bytes that were read
  std::size_t at_ = 0;       // those before are done with
  std::uint64_t place_ = 0;  // of at_ in the recording
  bool ended_ = false;
  bool failed_ = false;  // reading itself did; there is nothing more
  bool has_lines_ = false;
  std::uint64_t line_ = 0;
  bool in_chunk_ = false;
  bool has_head_ = false;  // its first message was read
  std::size_t left_ = 0;   // bytes of its frames that were not read
  std::string messages_;   // of the frame
  std::optional<google::protobuf::io::ArrayInputStream> stream_;  // of those that are left
  recording::Item message_;                                       // scratch, which keeps its memory
  ItemDecoder decoder_;
  std::optional<RecordingAbout> about_;  // of the chunk that was read last
  std::uint64_t sequence_ = 0;
  std::optional<Instant> began_;     // the start that was read last
  std::optional<Instant> last_;      // when the last pass was; before any, the first item
  std::string lost_;                 // why something is; empty: nothing
  std::optional<RecordedItem> due_;  // behind a gap
  RecordingFound found_;
};

}  // namespace jettison
