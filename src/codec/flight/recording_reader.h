#pragma once

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/flight/item_decoder.h"
#include "core/recording/recording.h"

namespace jettison {

// What was found of a recording beside its items.
struct RecordingFound {
  std::uint64_t bytes = 0;            // read
  std::uint64_t chunks = 0;           // whole ones
  std::uint64_t damaged_bytes = 0;    // that could not be read
  std::uint64_t chunks_missing = 0;   // by their numbers
  std::uint64_t chunks_repeated = 0;  // told before, and left out as far as they were
};

// When the first item of the chunk was that these bytes begin with. Absent: they begin with none.
[[nodiscard]] std::optional<Instant> FirstOfChunk(std::string_view bytes);

// Reads a recording, chunk by chunk, from any sequential source.
//
// A fault is a damaged frame, or bytes that belong to no chunk; the message gives its position and
// the number of bytes that were skipped. Reading goes on with the next chunk, and a gap precedes
// its items; at the end the gap comes last. Chunks that are missing between two others are a gap,
// too. Where the node, the agent or its start changes, a RecordingAbout is returned.
class RecordingReader : public RecordingSource {
 public:
  // Reads up to so many bytes; 0: the end.
  using Read = std::function<Result<std::size_t>(std::span<char> into)>;

  explicit RecordingReader(Read read) : read_(std::move(read)) {}

  [[nodiscard]] Result<std::optional<RecordedItem>> Next() override;
  [[nodiscard]] const RecordingFound& found() const { return found_; }

 private:
  using MaybeItem = Result<std::optional<RecordedItem>>;
  // Has so many bytes ready, or as many as there are.
  [[nodiscard]] Result<void> Fill(std::size_t bytes);
  [[nodiscard]] std::string_view Ready() const { return std::string_view(ready_).substr(at_); }
  void Take(std::size_t bytes);
  // The bytes from `from` on up to the next chunk or the end. Has them ready.
  [[nodiscard]] Result<std::size_t> BytesToNextChunk(std::size_t from);
  // Goes on to the next chunk; false: this was the end.
  [[nodiscard]] Result<bool> NextChunk();
  // The next item of the chunk; absent: it ends, or the message was none.
  [[nodiscard]] MaybeItem NextOfChunk();
  [[nodiscard]] Result<void> NextFrame();
  void End();
  [[nodiscard]] MaybeItem Lose(const Error& why);
  [[nodiscard]] tl::unexpected<Error> PassOver(std::size_t bytes, std::string_view why);
  [[nodiscard]] Result<void> Enter(const recording::Chunk& chunk);
  void AddLost(bool is_first);
  [[nodiscard]] RecordedItem Tell(RecordedItem item);
  [[nodiscard]] bool IsRepeated(Instant at) const;

  Read read_;
  std::string ready_;        // bytes that were read
  std::size_t at_ = 0;       // those before are done with
  std::uint64_t place_ = 0;  // of at_ in the recording
  bool ended_ = false;
  bool failed_ = false;  // reading itself did; there is nothing more

  bool in_chunk_ = false;
  bool has_head_ = false;  // its first message was read
  std::size_t left_ = 0;   // bytes of its frames that were not read
  std::string messages_;   // of the frame
  std::optional<google::protobuf::io::ArrayInputStream> stream_;  // of those that are left
  recording::Item message_;                                       // scratch, which keeps its memory
  ItemDecoder decoder_;

  std::optional<RecordingAbout> header_;  // of the chunk that was read last
  std::uint64_t sequence_ = 0;
  std::optional<RecordingAbout> about_;  // told last
  StartsRead starts_;
  SpanRead* told_ = nullptr;       // since the start of the chunk
  SpanRead told_before_;           // the same, before the run of chunks
  bool is_repeated_ = false;       // the chunk's items may be among those
  Instant first_;                  // when the first item of the chunk was
  Instant last_;                   // when the last pass was; before any, the first item
  std::string lost_;               // why something is; empty: nothing
  std::vector<RecordedItem> due_;  // before what is read next, the first one last
  RecordingFound found_;
};

}  // namespace jettison
