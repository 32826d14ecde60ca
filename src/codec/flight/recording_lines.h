#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "codec/flight/item_decoder.h"
#include "codec/flight/item_encoder.h"
#include "core/recording/recording.h"

namespace jettison {

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

// Reads what a LineWriter wrote. A fault concerns one line and is reported with its number; the
// next line is read all the same. A gap precedes the pass behind a lost line, and that pass begins
// with an empty state if it has none of its own. What occurs twice, because recordings of a node
// that overlap follow one another, is read once, as RecordingReader does.
class RecordingLines : public RecordingSource {
 public:
  // The next line without its end; none: this was the last one.
  using Read = std::function<Result<std::optional<std::string_view>>()>;

  explicit RecordingLines(Read read) : read_(std::move(read)) {}

  [[nodiscard]] Result<std::optional<RecordedItem>> Next() override;

 private:
  [[nodiscard]] Result<std::optional<RecordedItem>> NextOfLines();
  [[nodiscard]] Result<std::optional<RecordedItem>> ItemOf(std::string_view line);
  [[nodiscard]] std::optional<RecordedItem> TakeAbout(RecordingAbout about);
  [[nodiscard]] RecordedItem BehindGap(RecordedItem pass);

  Read read_;
  ItemDecoder decoder_;
  int line_ = 0;
  bool failed_ = false;
  std::optional<RecordingAbout> about_;
  std::optional<RecordingAbout> told_about_;  // the last one that was returned
  StartsRead starts_;
  SpanRead* told_ = nullptr;           // since that start
  SpanRead told_before_;               // the same, before the lines that follow `about_`
  std::optional<RecordedItem> after_;  // comes after an `about` that was returned before it
  std::optional<Instant> last_at_;     // of the pass before
  std::optional<int> lost_line_;       // since then; the first one
  std::optional<RecordedItem> due_;    // behind a gap
};

}  // namespace jettison
