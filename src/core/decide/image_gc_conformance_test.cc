#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/decide/image_gc.h"

namespace jettison {
namespace {

const Instant kVectorsNow = ParseInstant("2026-01-01T00:00:00Z").value();

Duration DurationAt(const nlohmann::json& object, const char* key) {
  return ParseDuration(object.at(key).get<std::string>()).value();
}

std::vector<ImageRecord> ImagesOf(const nlohmann::json& record) {
  std::vector<ImageRecord> images;
  for (const auto& image : record.at("images")) {
    images.push_back({.id = image.at("id"),
                      .size_bytes = image.at("sizeBytes"),
                      .first_detected = kVectorsNow - DurationAt(image, "firstDetectedAgo"),
                      .last_used = std::nullopt,
                      .in_use = image.value("inUse", false),
                      .pinned = image.value("pinned", false)});
    if (image.contains("lastUsedAgo")) {
      images.back().last_used = kVectorsNow - DurationAt(image, "lastUsedAgo");
    }
  }
  return images;
}

bool RemoveFails(const nlohmann::json& record, const std::string& id) {
  for (const auto& image : record.at("images")) {
    if (image.at("id") == id) return image.value("removeFails", false);
  }
  return false;
}

ImageGcOutcome OutcomeOf(const nlohmann::json& record) {
  const ImageGcPolicy policy{.high_threshold_percent = record.at("imageGCHighThresholdPercent"),
                             .low_threshold_percent = record.at("imageGCLowThresholdPercent"),
                             .min_age = DurationAt(record, "imageMinimumGCAge"),
                             .max_age = DurationAt(record, "imageMaximumGCAge")};
  const auto mode = record.at("mode") == "deleteUnused" ? ImageGcMode::kDeleteUnused
                                                        : ImageGcMode::kGarbageCollect;
  ImageGcRun run(policy, mode, ImagesOf(record), {kVectorsNow, DurationAt(record, "uptime")});
  while (true) {
    if (const auto* remove = std::get_if<RemoveImage>(&run.step())) {
      if (RemoveFails(record, remove->id)) {
        run.RemoveFailed({ErrorCode::kUnavailable, "the runtime refuses"});
      } else {
        run.Removed();
      }
    } else if (std::holds_alternative<MeasureImageFs>(run.step())) {
      run.Measured({record.at("imageFsCapacityBytes"), record.at("imageFsAvailableBytes")});
    } else {
      return std::get<ImageGcOutcome>(run.step());
    }
  }
}

TEST(ImageGcConformance, EveryRecordedCollectionEndsAsTheKubeletsDid) {
  std::ifstream file(JETTISON_VECTORS "/images.ndjson");
  int records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    const auto record = nlohmann::json::parse(line);
    SCOPED_TRACE(line);
    const ImageGcOutcome outcome = OutcomeOf(record);
    EXPECT_EQ(outcome.removed, record.at("removed").get<std::vector<std::string>>());
    EXPECT_EQ(outcome.error.has_value(), record.at("error").get<bool>());
    EXPECT_EQ(outcome.event ? outcome.event->reason : "", record.value("event", ""));
  }
  EXPECT_EQ(records, 200);
}

}  // namespace
}  // namespace jettison
