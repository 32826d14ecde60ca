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
// next line is read all the same.
class RecordingLines : public RecordingSource {
 public:
  // The next line without its end; none: this was the last one.
  using Read = std::function<Result<std::optional<std::string_view>>()>;

  explicit RecordingLines(Read read) : read_(std::move(read)) {}

  [[nodiscard]] Result<std::optional<RecordedItem>> Next() override;

 private:
  [[nodiscard]] Result<std::optional<RecordedItem>> ItemOf(std::string_view line);
  [[nodiscard]] Result<std::optional<RecordedItem>> ItemOf(const std::string& kind,
                                                           const Value& value);
  [[nodiscard]] Result<RecordedItem> PassOf(const Value& value);
  [[nodiscard]] Result<void> TakePolicy(const Value& value);
  [[nodiscard]] Result<void> TakePod(const Value& value);

  Read read_;
  JsonReader json_;
  int line_ = 0;
  bool failed_ = false;
  std::optional<RecordingAbout> about_;
  std::map<std::uint64_t, std::shared_ptr<const PassPolicy>> policies_;
  std::map<std::uint64_t, std::shared_ptr<const PodFacts>> pods_;
  std::optional<EvictionState> state_;  // that the pass before left
};

}  // namespace jettison
