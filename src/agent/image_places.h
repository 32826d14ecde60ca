#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "core/units/duration.h"
#include "core/units/once.h"
#include "core/units/result.h"
#include "machine/log/log.h"
#include "ports/clock.h"
#include "ports/image_store.h"

namespace jettison {

// Asks the runtime every 10 s where its images are: it may have been started again with another
// root. The last answer holds while it does not answer. Each question is answered within a few
// seconds, even if the runtime hangs. Nothing here waits.
class ImagePlaces {
 public:
  // `found` is called with each answer.
  ImagePlaces(ImageStore& images, const Clock& clock, const Log& log,
              std::function<void(const StorageFolders&)> found)
      : images_(images), clock_(clock), log_(log), found_(std::move(found)) {}

  // How long the first answer may take before it counts as late.
  static constexpr Duration kPatience = std::chrono::milliseconds(50);

  // `answered` is called after the first answer, whatever it is; `late`, at most once and before
  // it, when it does not come within kPatience.
  void Ask(std::function<void()> answered, std::function<void()> late = nullptr);
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const {
    return late_ ? late_at_ : next_;  // while the first answer is awaited, nothing else is due
  }

 private:
  void Take(const Result<StorageFolders>& folders);

  ImageStore& images_;
  const Clock& clock_;
  const Log& log_;
  std::function<void(const StorageFolders&)> found_;
  bool is_known_ = false;
  std::optional<Instant> next_;  // absent: it is being asked
  std::function<void()> late_;   // null: nobody is to be told
  Instant late_at_;
  Once say_unknown_;
};

}  // namespace jettison
