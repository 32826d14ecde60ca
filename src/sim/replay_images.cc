#include <variant>

#include "sim/replay.h"

namespace jettison {

ImageGcOutcome Replay(const ImageCollection& collection) {
  ImageGcRun run(collection.policy, collection.mode, collection.images, collection.times);
  for (;;) {
    if (const auto* outcome = std::get_if<ImageGcOutcome>(&run.step())) return *outcome;
    const auto* remove = std::get_if<RemoveImage>(&run.step());
    if (remove == nullptr) {
      run.Measured(collection.image_fs);
    } else if (collection.refused.contains(remove->id)) {
      run.RemoveFailed({ErrorCode::kUnavailable, "the record lets this removal fail"});
    } else {
      run.Removed();
    }
  }
}

}  // namespace jettison
