#include "agent/image_places.h"

#include <chrono>
#include <utility>

namespace jettison {
namespace {

constexpr Duration kPeriod = std::chrono::seconds(10);

}  // namespace

void ImagePlaces::Ask(std::function<void()> answered, std::function<void()> late) {
  late_ = std::move(late);
  late_at_ = clock_.Now() + kPatience;
  images_.Folders([this, answered = std::move(answered)](const Result<StorageFolders>& folders) {
    late_ = nullptr;
    Take(folders);
    answered();
  });
}

void ImagePlaces::Take(const Result<StorageFolders>& folders) {
  next_ = clock_.Now() + kPeriod;
  if (folders) {
    is_known_ = true;
    return found_(*folders);
  }
  if (is_known_ || !say_unknown_.Take()) return;
  log_.Warn(
      "the file system of the images is not known and is taken to be nodefs until the runtime "
      "tells it",
      {{"err", folders.error().message}});
}

void ImagePlaces::Advance(Instant now) {
  if (late_ && now >= late_at_) std::exchange(late_, nullptr)();
  if (!next_ || now < *next_) return;
  next_.reset();
  Ask([] {});
}

}  // namespace jettison
