#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "agent/log/log.h"
#include "core/units/duration.h"
#include "core/units/once.h"
#include "core/units/result.h"
#include "ports/clock.h"
#include "ports/image_store.h"

namespace jettison {

struct ImagePlacesEdges {
  ImageStore& images;
  const Clock& clock;
  const Log& log;
  std::function<void(const StorageFolders&)> found;
};

// Asks the runtime where its images are, every 30 s until it says so. Each question is answered
// within a few seconds, even if the runtime hangs.
class ImagePlaces {
 public:
  explicit ImagePlaces(ImagePlacesEdges edges) : edges_(std::move(edges)) {}

  // `answered` is called after the first answer, whatever it is.
  void Ask(std::function<void()> answered);
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return next_; }

 private:
  void Take(const Result<StorageFolders>& folders);

  ImagePlacesEdges edges_;
  std::optional<Instant> next_;  // absent: it is being asked, or has answered
  Once say_unknown_;
};

}  // namespace jettison
