#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codec/flight/chunk_header.h"
#include "codec/flight/columns/bytes.h"
#include "codec/flight/columns/column.h"
#include "codec/flight/columns/zstd_stream.h"
#include "codec/flight/pass_slots.h"
#include "codec/flight/pod_tables.h"
#include "core/recording/recording.h"

namespace jettison {

// Makes one chunk, item by item. It holds columns of differences, not the items.
class ChunkWriter {
 public:
  ChunkWriter(const RecordingAbout& about, std::uint64_t sequence);

  void Add(const RecordedPass& pass);
  void Add(const RecordedOomKill& kill);
  void Add(const RecordedGap& gap);
  void Add(const RecordedNote& note);

  [[nodiscard]] bool empty() const { return header_.stretch.passes == 0 && header_.others == 0; }
  [[nodiscard]] const ChunkHeader& header() const { return header_; }
  // Memory that is held for it, about.
  [[nodiscard]] std::size_t bytes() const;
  // Appends the chunk as it is now to `out`; more may be added afterwards, for another one.
  [[nodiscard]] Result<void> Write(ZstdWriter& zstd, std::string& out) const;

 private:
  void Note(Instant at);
  template <typename T>
  void AddOther(OtherItem kind, Instant at, const T& item);
  void NoteExtremes(const Observations& observations);
  std::uint32_t PolicyPlace(const std::shared_ptr<const PassPolicy>& policy);
  std::uint32_t NodeNamePlace(const std::string& name);
  std::uint64_t PutParts(const RecordedPass& pass);
  [[nodiscard]] std::string NodeSection() const;

  ChunkHeader header_;
  ColumnWriter columns_;
  std::vector<std::string> node_names_;
  std::vector<std::string> policies_;              // their bytes
  std::shared_ptr<const PassPolicy> last_policy_;  // of the pass before
  std::uint32_t last_policy_place_ = 0;
  FactsTable facts_;
  FiguresTable figures_;
  std::string more_;
  std::uint64_t items_before_ = 0;
  std::uint64_t last_number_ = 0;
  Instant last_at_;
  std::string next_state_;  // as bytes, that the pass before leaves; empty: there was none
};

}  // namespace jettison
