#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/flight/chunk_header.h"
#include "codec/flight/chunk_pods.h"
#include "codec/flight/columns/bytes.h"
#include "codec/flight/columns/column.h"
#include "codec/flight/pass_slots.h"
#include "core/recording/recording.h"

namespace jettison {

// Reads the items of one chunk. Pods are decoded only when a pass is requested with them.
class ChunkReader {
 public:
  // `body` is what follows the header. kInvalidArgument: it is damaged. `known` must outlive this.
  [[nodiscard]] static Result<std::unique_ptr<ChunkReader>> Open(ChunkHeader header,
                                                                 std::string body,
                                                                 PodDictionary& known);

  // The next item that either is no pass or is a pass which the sieve wants; with a null sieve, the
  // next item. Absent at the end. After a fault nothing more is read.
  [[nodiscard]] Result<std::optional<RecordedItem>> Next(PassSieve* sieve);
  // When the last pass that was read was made; none: no pass yet.
  [[nodiscard]] std::optional<Instant> at() const {
    return has_time_ ? std::optional(at_) : std::nullopt;
  }

 private:
  ChunkReader(ChunkHeader header, std::string body, PodDictionary& known);
  [[nodiscard]] Result<std::string> Section(SectionKind kind) const;
  [[nodiscard]] Result<void> ReadTables();
  [[nodiscard]] Result<RecordedItem> ReadOther();
  void ReadRow();
  [[nodiscard]] Result<void> ReadPass();
  [[nodiscard]] Result<void> ReadParts(std::uint64_t parts);
  [[nodiscard]] Result<void> OpenPods();
  [[nodiscard]] bool IsWanted(PassSieve* sieve) const;
  [[nodiscard]] Result<std::optional<RecordedItem>> End() const;
  [[nodiscard]] Result<RecordedItem> WithPods();

  ChunkHeader header_;
  std::string body_;
  PodDictionary& known_;
  std::string node_;  // the section's text, which the columns are in
  std::string more_text_;
  ByteReader more_;
  std::vector<std::string> node_names_;
  std::vector<std::shared_ptr<const PassPolicy>> policies_;
  std::vector<ColumnReader> columns_;
  std::unique_ptr<ChunkPods> pods_;           // null: not asked for yet
  std::vector<std::uint64_t> passed_before_;  // lists of figures of passes before it was
  std::uint64_t passes_left_;
  std::uint64_t others_left_;
  std::uint64_t others_due_ = 0;  // before the pass that was read last
  bool pass_due_ = false;         // its row was read, and itself not yet
  bool is_used_ = false;          // `pass_` holds more than a pass that only looked
  std::uint64_t number_ = 0;
  std::array<std::uint64_t, kPassWidth> row_{};
  std::shared_ptr<RecordedPass> pass_;  // its pods not yet in it
  Instant at_;                          // of the last pass; before any, of the start
  bool has_time_ = false;               // of a pass
  bool has_state_ = false;
  EvictionState state_;  // that the pass before left
};

}  // namespace jettison
