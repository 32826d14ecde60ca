#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/model/eviction.h"
#include "core/model/runtime_records.h"
#include "core/text/enum_names.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// Whether a pod still needs its dead containers and its sandbox.
enum class PodStanding : std::uint8_t {
  kLives,       // it runs or will: its newest dead container of each name and its sandbox are kept
  kTerminated,  // nothing of it runs or will run again, but it has not been deleted
};

// The known pods, and how unknown and terminated pods are treated.
struct PodsForGc {
  std::map<std::string, PodStanding, std::less<>> standing;  // by UID; absent: the pod is gone
  // Whether every source has reported its pods. Until then an unknown pod may still be reported, so
  // neither its containers nor its logs are removed.
  bool all_sources_ready = true;
  // Whether terminated pods count as gone: true under disk pressure, false for the periodic
  // collection.
  bool terminated_count_as_gone = false;
};

// One run of a container, to be removed.
struct ContainerRun {
  std::string pod_uid;
  std::string container;
  int attempt = 0;
  friend auto operator<=>(const ContainerRun&, const ContainerRun&) = default;
};

// The dead containers to remove, by pod UID and container name, the oldest first: all of pods that
// are gone, and those of others but the newest of each container. Ages are compared by creation
// time, then attempt. (kubelet 1.36: containerGC.evictContainers, with the defaults of its flags)
[[nodiscard]] std::vector<ContainerRun> ContainersToRemove(
    std::span<const ContainerRecord> containers, const PodsForGc& pods);

// Why images are collected.
enum class ImageGcMode : std::uint8_t {
  kDeleteUnused,    // disk pressure: every unused image that is old enough
  kGarbageCollect,  // the periodic collection: those past the maximum age, then, when the file
                    // system is used beyond the high threshold, down to the low one
};
template <>
inline constexpr auto kNamesOf<ImageGcMode> = EnumNames("deleteUnused", "garbageCollect");

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
template <>
inline constexpr auto kNamesOf<ImageGcReason> = EnumNames("age", "space");

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
  [[nodiscard]] bool Wants(const ImageRecord& image) const;
  // Goes on to the next image that is to be removed, or ends the part of the collection.
  void Advance();
  void EndPart();
  // Without a message there was no error; with a reason it is an event, too.
  void End(std::string error = {}, std::string event = {});

  ImageGcPolicy policy_;
  ImageGcMode mode_;
  ImageGcTimes times_;
  bool by_space_;                    // else by age, which comes first
  std::vector<ImageRecord> images_;  // that are left, in order
  std::size_t at_ = 0;               // the one that is looked at
  std::vector<std::string> failures_;
  // By space; at or below zero one image is removed all the same.
  std::int64_t bytes_to_free_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t freed_ = 0;  // by space
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
