#include "core/decide/image_gc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace jettison {

namespace {

// An instant before all others: for an image that was never used, or that is older than any
// listing.
constexpr Instant kLongAgo = Instant::min();

Instant LastUseOf(const ImageRecord& image) {
  return image.last_used.value_or(kLongAgo);
}

std::vector<ImageRecord> InOrder(std::span<const ImageRecord> images) {
  std::vector<ImageRecord> candidates;
  for (const ImageRecord& image : images) {
    if (!image.in_use && !image.pinned) candidates.push_back(image);
  }
  std::ranges::sort(candidates, {}, [](const ImageRecord& image) {
    return std::tuple(LastUseOf(image), image.first_detected, std::string_view(image.id));
  });
  return candidates;
}

// part * percent / 100 without overflow, rounded down.
std::uint64_t PercentOf(std::uint64_t part, std::uint64_t percent) {
  return part / 100 * percent + part % 100 * percent / 100;
}

// 0..100; a started percent counts as used.
int UsedPercent(ImageFsUsage usage) {
  __extension__ using Wide = unsigned __int128;
  return 100 - static_cast<int>(Wide{usage.available} * 100 / usage.capacity);
}

// "26.4 GiB", as the kubelet writes sizes for people.
std::string SizeText(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

Event NodeWarning(std::string reason, std::string message) {
  return {.object = "node",
          .type = EventType::kWarning,
          .reason = std::move(reason),
          .message = std::move(message),
          .annotations = {}};
}

}  // namespace

ImageGcRun::ImageGcRun(const ImageGcPolicy& policy, ImageGcMode mode,
                       std::span<const ImageRecord> images, ImageGcTimes times)
    : policy_(policy), mode_(mode), times_(times), left_(InOrder(images)) {
  const bool by_age = mode == ImageGcMode::kGarbageCollect;
  Begin(by_age ? Phase::kByAge : Phase::kBySpace, std::numeric_limits<std::int64_t>::max());
}

void ImageGcRun::Begin(Phase phase, std::int64_t bytes_to_free) {
  phase_ = phase;
  candidates_ = std::exchange(left_, {});
  at_ = 0;
  bytes_to_free_ = bytes_to_free;
  Advance();
}

bool ImageGcRun::Wants(const ImageRecord& image) const {
  if (phase_ == Phase::kBySpace) {
    return LastUseOf(image) < times_.now &&
           Elapsed(image.first_detected, times_.now) >= policy_.min_age;
  }
  // Before max_age has passed, it is not known what was in use shortly before the start.
  return policy_.max_age != Duration::zero() && times_.uptime > policy_.max_age &&
         Elapsed(LastUseOf(image), times_.now) > policy_.max_age;
}

void ImageGcRun::Advance() {
  for (; at_ < candidates_.size(); ++at_) {
    const ImageRecord& image = candidates_[at_];
    if (Wants(image)) {
      step_ = RemoveImage{
          .id = image.id,
          .size_bytes = image.size_bytes,
          .reason = phase_ == Phase::kByAge ? ImageGcReason::kAge : ImageGcReason::kSpace};
      return;
    }
    left_.push_back(image);
  }
  EndPhase();
}

void ImageGcRun::Removed() {
  assert(std::holds_alternative<RemoveImage>(step_));
  const ImageRecord& image = candidates_[at_++];
  outcome_.removed.push_back(image.id);
  outcome_.freed_bytes += image.size_bytes;
  if (phase_ == Phase::kByAge) return Advance();
  freed_ += static_cast<std::int64_t>(image.size_bytes);
  if (freed_ >= bytes_to_free_) return EndPhase();
  Advance();
}

void ImageGcRun::RemoveFailed(const Error& error) {
  assert(std::holds_alternative<RemoveImage>(step_));
  failures_.push_back(error.message);
  left_.push_back(candidates_[at_++]);
  Advance();
}

void ImageGcRun::EndPhase() {
  if (phase_ == Phase::kBySpace) return EndBySpace();
  if (!failures_.empty()) {
    return End(Error{ErrorCode::kUnavailable,
                     fmt::format("remove images unused for more than {}: {}",
                                 FormatDuration(policy_.max_age), fmt::join(failures_, "; "))});
  }
  step_ = MeasureImageFs{};
}

void ImageGcRun::MeasureFailed(const Error& error) {
  assert(std::holds_alternative<MeasureImageFs>(step_));
  End(error.In("measure the image file system"));
}

void ImageGcRun::Measured(ImageFsUsage usage) {
  assert(std::holds_alternative<MeasureImageFs>(step_));
  usage_ = {usage.capacity, std::min(usage.available, usage.capacity)};
  if (usage_.capacity == 0) {
    const std::string message = "invalid capacity 0 on image filesystem";
    return End(Error{ErrorCode::kUnavailable, message},
               NodeWarning("InvalidDiskCapacity", message));
  }
  if (UsedPercent(usage_) < policy_.high_threshold_percent) return End(std::nullopt);
  const auto free_at_low =
      PercentOf(usage_.capacity, static_cast<std::uint64_t>(100 - policy_.low_threshold_percent));
  // May be negative, because the percentage is rounded. One image is removed even then.
  Begin(Phase::kBySpace,
        static_cast<std::int64_t>(free_at_low) - static_cast<std::int64_t>(usage_.available));
}

void ImageGcRun::EndBySpace() {
  if (!failures_.empty()) {
    return End(Error{ErrorCode::kUnavailable,
                     fmt::format("freed {} bytes by removing unused images; some stayed: {}",
                                 freed_, fmt::join(failures_, "; "))});
  }
  if (mode_ == ImageGcMode::kDeleteUnused || freed_ >= bytes_to_free_) return End(std::nullopt);
  const std::string message = fmt::format(
      "Insufficient free disk space on the node's image filesystem ({}% of {} used). Failed to "
      "free "
      "sufficient space by deleting unused images (freed {} bytes). Investigate disk usage, as it "
      "could be used by active images, logs, volumes, or other data.",
      UsedPercent(usage_), SizeText(usage_.capacity), freed_);
  End(Error{ErrorCode::kUnavailable, message}, NodeWarning("FreeDiskSpaceFailed", message));
}

void ImageGcRun::End(std::optional<Error> error, std::optional<Event> event) {
  outcome_.error = std::move(error);
  outcome_.event = std::move(event);
  step_ = std::move(outcome_);
}

std::vector<ImageRecord> DetectImages(std::span<const ImageRecord> known,
                                      std::vector<ImageRecord> listed,
                                      std::optional<Instant> detected_at, Instant now) {
  std::map<std::string_view, const ImageRecord*> known_by_id;
  for (const ImageRecord& record : known) known_by_id.emplace(record.id, &record);
  std::map<std::string, ImageRecord> seen;
  for (ImageRecord& image : listed) {
    const auto it = known_by_id.find(image.id);
    const bool is_known = it != known_by_id.end();
    image.first_detected = is_known ? it->second->first_detected : detected_at.value_or(kLongAgo);
    image.last_used = is_known ? it->second->last_used : std::nullopt;
    ImageRecord& record = seen[image.id];
    image.in_use = image.in_use || record.in_use;  // one that is listed twice
    if (image.in_use) image.last_used = now;
    record = std::move(image);
  }
  std::vector<ImageRecord> records;
  for (auto& [id, record] : seen) records.push_back(std::move(record));
  return records;
}

}  // namespace jettison
