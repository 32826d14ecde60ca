#include "core/config/recording_configuration.h"

#include <array>
#include <chrono>
#include <string_view>

#include "core/units/quantity.h"

namespace jettison {
namespace {

constexpr auto kRecordingNames = std::to_array<std::string_view>({"enabled", "maxAge", "maxSize"});
constexpr std::int64_t kLeastBytes = std::int64_t{1} << 20;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
constexpr Duration kShortestAge = std::chrono::hours(1);

void ReadSize(const Fields& recording, std::int64_t& bytes) {
  const auto text = recording.Text("maxSize");
  if (!text) return;
  const auto size = Quantity::Parse(*text);
  if (size && size->Value() >= kLeastBytes && size->Value() <= kMostBytes) {
    bytes = size->Value();
    return;
  }
  recording.Refuse("maxSize", *text, "must be an amount from 1Mi to 1Ti, such as 64Mi");
}

}  // namespace

RecordingConfig ReadRecordingConfiguration(const Fields& recording) {
  recording.RefuseOthers(kRecordingNames);
  RecordingConfig config;
  config.enabled = recording.Flag("enabled").value_or(config.enabled);
  ReadSize(recording, config.max_bytes);
  config.max_age = recording.Span("maxAge", kShortestAge).value_or(config.max_age);
  return config;
}

}  // namespace jettison
