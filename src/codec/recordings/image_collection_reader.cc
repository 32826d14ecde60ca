#include "codec/recordings/image_collection_reader.h"

#include <fmt/format.h>

#include <limits>

#include "core/thresholds/fields.h"

namespace jettison {
namespace {

constexpr auto kMostBytes = std::numeric_limits<std::int64_t>::max();

// Ages count back from here; any instant far from the ends of time will do.
constexpr Instant kCollectedAt{std::chrono::hours(24 * 365 * 50)};

std::uint64_t Bytes(const Fields& fields, std::string_view key) {
  return static_cast<std::uint64_t>(fields.Integer(key, 0, kMostBytes).value_or(0));
}

int Percent(const Fields& fields, std::string_view key, int otherwise) {
  return static_cast<int>(fields.Integer(key, 0, 100).value_or(otherwise));
}

Duration Age(const Fields& fields, std::string_view key, Duration otherwise) {
  return fields.Span(key, Duration::zero()).value_or(otherwise);
}

void ReadImage(const Fields& fields, ImageCollection& collection) {
  const auto id = fields.Text("id");
  if (!id) return fields.Refuse("id", "", "is required");
  ImageRecord image{.id = *id,
                    .size_bytes = Bytes(fields, "sizeBytes"),
                    .first_detected = kCollectedAt - Age(fields, "firstDetectedAgo", {}),
                    .last_used = std::nullopt,
                    .in_use = fields.Flag("inUse").value_or(false),
                    .pinned = fields.Flag("pinned").value_or(false)};
  if (const auto ago = fields.Span("lastUsedAgo", Duration::zero())) {
    image.last_used = kCollectedAt - *ago;
  }
  if (fields.Flag("removeFails").value_or(false)) collection.refused.insert(*id);
  collection.images.push_back(std::move(image));
}

void ReadImages(const Fields& fields, Faults& faults, ImageCollection& collection) {
  const Value* images = fields.Find("images");
  if (images == nullptr) return;
  const Value::List* list = images->AsList();
  if (list == nullptr) return fields.Refuse("images", Shown(*images), "must be a list");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Fields image((*list)[i], "", faults, fmt::format("imageGC.images[{}].", i));
    ReadImage(image, collection);
  }
}

}  // namespace

Result<ImageCollection> ReadImageCollection(const Value& image_gc) {
  Faults faults;
  const Fields fields(image_gc, "", faults, "imageGC.");
  const ImageGcPolicy defaults;
  ImageCollection collection{
      .name = fields.Text("name").value_or(""),
      .mode = fields
                  .OneOf<ImageGcMode>("mode", {{"garbageCollect", ImageGcMode::kGarbageCollect},
                                               {"deleteUnused", ImageGcMode::kDeleteUnused}})
                  .value_or(ImageGcMode::kGarbageCollect),
      .policy = {.high_threshold_percent = Percent(fields, "imageGCHighThresholdPercent",
                                                   defaults.high_threshold_percent),
                 .low_threshold_percent =
                     Percent(fields, "imageGCLowThresholdPercent", defaults.low_threshold_percent),
                 .min_age = Age(fields, "imageMinimumGCAge", defaults.min_age),
                 .max_age = Age(fields, "imageMaximumGCAge", defaults.max_age)},
      .times = {.now = kCollectedAt, .uptime = Age(fields, "uptime", {})},
      .image_fs = {.capacity = Bytes(fields, "imageFsCapacityBytes"),
                   .available = Bytes(fields, "imageFsAvailableBytes")},
      .images = {},
      .refused = {}};
  ReadImages(fields, faults, collection);
  if (!faults.empty()) return Fail(ErrorCode::kInvalidArgument, DescribeAll(faults));
  return collection;
}

}  // namespace jettison
