#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "codec/flight/chunk_writer.h"
#include "codec/flight/columns/zstd_stream.h"
#include "core/recording/recording.h"

namespace jettison {

// How much a chunk may hold. A damaged recording loses whole chunks, and each chunk begins with all
// its pods.
struct ChunkLimits {
  std::uint64_t passes = 512;
  std::size_t bytes = std::size_t{256} << 10;  // of memory, about, beside what it begins with
  Duration time = std::chrono::hours(2);       // from its first item
};

// Makes the chunks of a recording.
class RecordingWriter : public RecordingSink {
 public:
  // Takes the bytes of a chunk; where it fails, the chunk is lost.
  using Write = std::function<Result<void>(std::string_view chunk)>;

  explicit RecordingWriter(Write write, ChunkLimits limits = {})
      : write_(std::move(write)), limits_(limits) {}

  // kInvalidArgument: the first item is no RecordingAbout.
  [[nodiscard]] Result<void> Add(const RecordedItem& item) override;
  [[nodiscard]] Result<void> Finish() override { return Cut(); }
  // Ends the chunk, so that it is written.
  [[nodiscard]] Result<void> Cut();
  // Appends the chunk as it is now; it is not ended. Nothing is appended where it is empty.
  [[nodiscard]] Result<void> Peek(std::string& out);

 private:
  [[nodiscard]] bool IsFull() const;

  Write write_;
  ChunkLimits limits_;
  ZstdWriter zstd_;
  std::optional<ChunkWriter> chunk_;  // none: nothing was added yet
  std::size_t begins_with_ = 0;       // bytes of it up to its first pass: its pods
};

}  // namespace jettison
