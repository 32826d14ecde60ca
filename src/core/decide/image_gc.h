#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/event.h"
#include "core/model/images.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// Why images are collected.
enum class ImageGcMode : std::uint8_t {
  kDeleteUnused,    // disk pressure: every unused image that is old enough
  kGarbageCollect,  // the periodic collection: those past the maximum age, then, when the file
                    // system is used beyond the high threshold, down to the low one
};

// When a collection takes place.
struct ImageGcTimes {
  Instant now;
  Duration uptime{0};  // how long images have been watched; before max_age none counts as too old
};

// The file system that holds the images, in bytes. What was not measured is zero, as in the
// kubelet.
struct ImageFsUsage {
  std::uint64_t capacity = 0;
  std::uint64_t available = 0;
};

// Why an image is removed: it was unused for too long, or its space is needed.
enum class ImageGcReason : std::uint8_t { kAge, kSpace };
inline constexpr std::array<ImageGcReason, 2> kAllImageGcReasons = {ImageGcReason::kAge,
                                                                    ImageGcReason::kSpace};
[[nodiscard]] constexpr std::string_view NameOf(ImageGcReason reason) {
  return reason == ImageGcReason::kAge ? "age" : "space";
}

// Remove this image; answer with Removed or RemoveFailed.
struct RemoveImage {
  std::string id;
  std::uint64_t size_bytes = 0;
  ImageGcReason reason = ImageGcReason::kSpace;
};
// Measure the image file system, now; answer with Measured or MeasureFailed.
struct MeasureImageFs {};
// The collection is over.
struct ImageGcOutcome {
  std::vector<std::string> removed;  // in order; failed removals left out
  std::uint64_t freed_bytes = 0;     // their sizes
  std::optional<Error> error;
  std::optional<Event> event;  // FreeDiskSpaceFailed or InvalidDiskCapacity, about the node
};
using ImageGcStep = std::variant<RemoveImage, MeasureImageFs, ImageGcOutcome>;

// One image collection as a state machine: step() says what the caller has to do, and the answer to
// it leads to the next step. Images are removed in the order of their last use, images that were
// never used first, then of their first detection, then of their ID.
// (kubelet 1.36: realImageGCManager.GarbageCollect, DeleteUnusedImages)
class ImageGcRun {
 public:
  ImageGcRun(const ImageGcPolicy& policy, ImageGcMode mode, std::span<const ImageRecord> images,
             ImageGcTimes times);

  [[nodiscard]] const ImageGcStep& step() const { return step_; }

  // The answers. Each fits only the step that asks for it.
  void Removed();
  void RemoveFailed(const Error& error);
  void Measured(ImageFsUsage usage);
  void MeasureFailed(const Error& error);

 private:
  enum class Phase : std::uint8_t { kByAge, kBySpace };

  [[nodiscard]] bool Wants(const ImageRecord& image) const;
  void Begin(Phase phase, std::int64_t bytes_to_free);
  void Advance();
  void EndPhase();
  void EndBySpace();
  void End(std::optional<Error> error, std::optional<Event> event = std::nullopt);

  ImageGcPolicy policy_;
  ImageGcMode mode_;
  ImageGcTimes times_;
  Phase phase_ = Phase::kByAge;
  std::vector<ImageRecord> candidates_;  // of this phase, in order
  std::size_t at_ = 0;                   // the candidate that is looked at
  std::vector<ImageRecord> left_;        // those that stay for the next phase
  std::vector<std::string> failures_;    // of this phase
  std::int64_t bytes_to_free_ = 0;  // in kBySpace; at or below zero one image goes all the same
  std::int64_t freed_ = 0;          // in kBySpace
  ImageFsUsage usage_;
  ImageGcOutcome outcome_;
  ImageGcStep step_;
};

// Updates the records from a listing, whose images have an ID, a size, and whether they are in use
// or pinned: new images are first detected at `detected_at` (absent: unknown, as for the images
// found at the start), images in use are last used now, and images that are no longer listed are
// dropped. Sorted by ID.
// (kubelet: detectImages)
[[nodiscard]] std::vector<ImageRecord> DetectImages(std::span<const ImageRecord> known,
                                                    std::vector<ImageRecord> listed,
                                                    std::optional<Instant> detected_at,
                                                    Instant now);

}  // namespace jettison
