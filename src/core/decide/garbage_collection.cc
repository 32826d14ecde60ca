#include "core/decide/garbage_collection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/units/quantity.h"

namespace jettison {
namespace {

// The dead runs of one container of one pod, oldest first.
using Runs = std::vector<const ContainerRecord*>;
using RunsByContainer = std::map<std::pair<std::string_view, std::string_view>, Runs>;

bool IsGone(const PodsForGc& pods, std::string_view uid) {
  if (!pods.all_sources_ready) return false;
  const auto it = pods.standing.find(uid);
  if (it == pods.standing.end()) return true;
  return it->second == PodStanding::kTerminated && pods.terminated_count_as_gone;
}

RunsByContainer DeadRuns(std::span<const ContainerRecord> containers) {
  RunsByContainer dead;
  for (const ContainerRecord& container : containers) {
    if (container.exit) dead[{container.pod_uid, container.name}].push_back(&container);
  }
  for (auto& [key, runs] : dead) {
    std::ranges::sort(runs, {}, [](const ContainerRecord* run) {
      return std::tuple(run->created, run->attempt);
    });
  }
  return dead;
}

// Long before all others: for an image that was never used, or that is older than any listing.
constexpr Instant kLongAgo{};

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

// 0..100; a started percent counts as used.
int UsedPercent(ImageFsUsage usage) {
  return 100 - static_cast<int>(Int128{usage.available} * 100 / usage.capacity);
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

}  // namespace

std::vector<ContainerRun> ContainersToRemove(std::span<const ContainerRecord> containers,
                                             const PodsForGc& pods) {
  const RunsByContainer dead = DeadRuns(containers);
  std::vector<ContainerRun> removed;
  for (const auto& [key, runs] : dead) {
    const std::size_t kept = IsGone(pods, key.first) ? 0 : 1;
    for (const ContainerRecord* const run : std::span(runs).first(runs.size() - kept)) {
      removed.push_back({run->pod_uid, run->name, run->attempt});
    }
  }
  return removed;
}

ImageGcRun::ImageGcRun(const ImageGcPolicy& policy, ImageGcMode mode,
                       std::span<const ImageRecord> images, ImageGcTimes times)
    : policy_(policy),
      mode_(mode),
      times_(times),
      by_space_(mode == ImageGcMode::kDeleteUnused),
      images_(InOrder(images)) {
  Advance();
}

bool ImageGcRun::Wants(const ImageRecord& image) const {
  if (by_space_) {
    return LastUseOf(image) < times_.now &&
           Elapsed(image.first_detected, times_.now) >= policy_.min_age;
  }
  // Before max_age has passed, it is not known what was in use shortly before the start.
  return policy_.max_age != Duration::zero() && times_.uptime > policy_.max_age &&
         Elapsed(LastUseOf(image), times_.now) > policy_.max_age;
}

void ImageGcRun::Advance() {
  while (at_ < images_.size() && !Wants(images_[at_])) ++at_;
  if (at_ == images_.size()) return EndPart();
  step_ = RemoveImage{.id = images_[at_].id,
                      .size_bytes = images_[at_].size_bytes,
                      .reason = by_space_ ? ImageGcReason::kSpace : ImageGcReason::kAge};
}

void ImageGcRun::Removed() {
  assert(std::holds_alternative<RemoveImage>(step_));
  outcome_.removed.push_back(images_[at_].id);
  outcome_.freed_bytes += images_[at_].size_bytes;
  if (by_space_) freed_ += static_cast<std::int64_t>(images_[at_].size_bytes);
  images_.erase(images_.begin() + static_cast<std::ptrdiff_t>(at_));
  by_space_&& freed_ >= bytes_to_free_ ? EndPart() : Advance();
}

void ImageGcRun::RemoveFailed(const Error& error) {
  assert(std::holds_alternative<RemoveImage>(step_));
  failures_.push_back(error.message);
  ++at_;
  Advance();
}

void ImageGcRun::MeasureFailed(const Error& error) {
  assert(std::holds_alternative<MeasureImageFs>(step_));
  End(error.In("measure the image file system").message);
}

void ImageGcRun::Measured(ImageFsUsage usage) {
  assert(std::holds_alternative<MeasureImageFs>(step_));
  usage_ = {usage.capacity, std::min(usage.available, usage.capacity)};
  if (usage_.capacity == 0) {
    return End("invalid capacity 0 on image filesystem", "InvalidDiskCapacity");
  }
  if (UsedPercent(usage_) < policy_.high_threshold_percent) return End();
  const Int128 free_at_low = Int128{usage_.capacity} * (100 - policy_.low_threshold_percent) / 100;
  // May be negative, because the percentage is rounded.
  bytes_to_free_ = static_cast<std::int64_t>(free_at_low - usage_.available);
  by_space_ = true;
  at_ = 0;
  Advance();
}

void ImageGcRun::EndPart() {
  if (!failures_.empty()) {
    const std::string what =
        by_space_ ? fmt::format("freed {} bytes by removing unused images; some stayed", freed_)
                  : "remove images unused for more than " + FormatDuration(policy_.max_age);
    return End(fmt::format("{}: {}", what, fmt::join(failures_, "; ")));
  }
  if (!by_space_) {
    step_ = MeasureImageFs{};
    return;
  }
  if (mode_ == ImageGcMode::kDeleteUnused || freed_ >= bytes_to_free_) return End();
  End(fmt::format(
          "Insufficient free disk space on the node's image filesystem ({}% of {} used). Failed to "
          "free sufficient space by deleting unused images (freed {} bytes). Investigate disk "
          "usage, as it could be used by active images, logs, volumes, or other data.",
          UsedPercent(usage_), SizeText(usage_.capacity), freed_),
      "FreeDiskSpaceFailed");
}

void ImageGcRun::End(std::string error, std::string event) {
  if (!event.empty()) {
    outcome_.event = Event{.object = "node",
                           .type = EventType::kWarning,
                           .reason = std::move(event),
                           .message = error,
                           .annotations = {}};
  }
  if (!error.empty()) outcome_.error = Error{ErrorCode::kUnavailable, std::move(error)};
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
