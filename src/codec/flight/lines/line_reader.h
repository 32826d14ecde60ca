#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "codec/documents/json.h"
#include "core/recording/recording.h"

namespace jettison {

// Reads what a LineWriter wrote. A fault concerns one line and is reported with its number; the
// next line is read all the same. Where the lost line was a pass, or may have been one, the state
// that it left is unknown: a gap precedes the next pass that does not have its own, which begins
// with an empty one. What occurs twice, because recordings of a node that overlap follow one
// another, is read once, as RecordingReader does.
class RecordingLines : public RecordingSource {
 public:
  // The next line without its end; none: this was the last one.
  using Read = std::function<Result<std::optional<std::string_view>>()>;

  explicit RecordingLines(Read read) : read_(std::move(read)) {}

  [[nodiscard]] Result<std::optional<RecordedItem>> Next() override;

 private:
  [[nodiscard]] Result<std::optional<RecordedItem>> NextOfLines();
  [[nodiscard]] Result<std::optional<RecordedItem>> ItemOf(std::string_view line);
  [[nodiscard]] Result<std::optional<RecordedItem>> ItemOf(const std::string& kind,
                                                           const Value& value);
  [[nodiscard]] Result<RecordedItem> PassOf(const Value& value);
  [[nodiscard]] Result<std::optional<RecordedItem>> TakeAbout(const Value& value);
  [[nodiscard]] RecordedItem BehindGap(RecordedItem pass);
  void LosePass();
  [[nodiscard]] Result<void> TakePolicy(const Value& value);
  [[nodiscard]] Result<void> TakePod(const Value& value);

  Read read_;
  JsonReader json_;
  int line_ = 0;
  bool failed_ = false;
  std::optional<RecordingAbout> about_;
  std::optional<RecordingAbout> told_about_;  // the last one that was returned
  ToldStarts starts_;
  ToldSpan* told_ = nullptr;           // since that start
  ToldSpan told_before_;               // the same, before the lines that follow `about_`
  std::optional<RecordedItem> after_;  // comes after an `about` that was returned before it
  std::map<std::uint64_t, std::shared_ptr<const PassPolicy>> policies_;
  std::map<std::uint64_t, std::shared_ptr<const PodFacts>> pods_;
  std::optional<EvictionState> state_;  // that the pass before left
  std::optional<Instant> last_at_;      // of the pass before
  std::optional<int> lost_line_;        // since then; the first one
  std::optional<RecordedItem> due_;     // behind a gap
};

}  // namespace jettison
