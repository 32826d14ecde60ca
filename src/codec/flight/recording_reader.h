#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "codec/flight/chunk_header.h"
#include "codec/flight/chunk_pods.h"
#include "codec/flight/chunk_reader.h"
#include "core/recording/recording.h"

namespace jettison {

// What was found of a recording beside its items.
struct RecordingFound {
  std::uint64_t bytes = 0;            // read
  std::uint64_t chunks = 0;           // whole ones
  std::uint64_t damaged_bytes = 0;    // that belong to no whole chunk
  std::uint64_t chunks_missing = 0;   // by their numbers
  std::uint64_t chunks_repeated = 0;  // told before, and left out as far as they were
};

// Reads a recording, chunk by chunk, from any sequential source.
//
// A fault is a damaged chunk, or bytes that belong to no chunk; the message gives its position and
// the number of bytes that were skipped. Reading goes on with the next chunk, and a gap precedes
// its items; at the end the gap comes last. It has the times of the lost chunks where their headers
// can be read; where nothing tells how long it is, it begins and ends at once. Chunks that are
// missing between two others are a gap, too. Where the node, the agent or its start changes, a
// RecordingAbout is returned.
class RecordingReader : public RecordingSource {
 public:
  // Reads up to so many bytes; 0: the end.
  using Read = std::function<Result<std::size_t>(std::span<char> into)>;

  explicit RecordingReader(Read read) : read_(std::move(read)) {}

  [[nodiscard]] Result<std::optional<RecordedItem>> Next() override;
  void Sift(PassSieve* sieve) override { sieve_ = sieve; }
  // The whole chunk that items are read from; null: none yet.
  [[nodiscard]] const ChunkHeader* chunk() const { return header_ ? &*header_ : nullptr; }
  [[nodiscard]] const RecordingFound& found() const { return found_; }

 private:
  // Has so many bytes ready, or as many as there are.
  [[nodiscard]] Result<void> Fill(std::size_t bytes);
  [[nodiscard]] std::string_view Ready() const { return std::string_view(ready_).substr(at_); }
  void Take(std::size_t bytes);
  // Goes on to the next chunk; false: this was the end.
  [[nodiscard]] Result<bool> NextChunk();
  [[nodiscard]] Result<bool> ReadBody(ChunkHeader header, std::size_t header_size);
  [[nodiscard]] Result<bool> Skip(const ChunkHeader& header, std::size_t header_size);
  // Skips bytes up to the possible begin of a chunk, and returns the fault.
  [[nodiscard]] tl::unexpected<Error> Resync(std::string_view why);
  // The same for a chunk whose header says what it had.
  [[nodiscard]] tl::unexpected<Error> Lose(const RecordedStretch& stretch, std::string_view why);
  [[nodiscard]] RecordedGap TakeGap(Instant from, Instant to);
  void Enter(const ChunkHeader& header);
  void Miss(std::uint64_t chunks);
  [[nodiscard]] bool IsLostCopy() const;
  void AddLost(const RecordedStretch& next, bool is_first);
  // The passes up to then are told or left out.
  void Reach(Instant at);
  [[nodiscard]] RecordedItem Tell(RecordedItem item);
  [[nodiscard]] std::optional<RecordedItem> TakeDue();
  [[nodiscard]] bool IsRepeated(Instant at) const;

  Read read_;
  PassSieve* sieve_ = nullptr;
  std::string ready_;        // bytes that were read
  std::size_t at_ = 0;       // those before are done with
  std::uint64_t place_ = 0;  // of at_ in the recording
  bool ended_ = false;
  bool failed_ = false;  // reading itself did; there is nothing more
  std::optional<ChunkHeader> header_;
  std::unique_ptr<ChunkReader> chunk_;
  PodDictionary known_;
  std::optional<RecordingAbout> about_;  // told last
  ToldStarts starts_;
  ToldSpan* told_ = nullptr;                     // since the start of the chunk
  ToldSpan told_before_;                         // the same, before the run of chunks
  bool is_repeated_ = false;                     // the chunk's items may be among those
  Instant last_;                                 // when the last item happened that is not lost
  std::string lost_;                             // why something is; empty: nothing
  std::optional<RecordedStretch> lost_stretch_;  // of which times; absent: nothing tells
  std::vector<RecordedItem> due_;  // before the items of the chunk, the first one last
  RecordingFound found_;
};

}  // namespace jettison
