#include "agent/runtime_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace jettison {
namespace {

constexpr Duration kPeriod = std::chrono::seconds(10);

constexpr Duration kFirstDelay = std::chrono::milliseconds(100);
constexpr Duration kMaxDelay = std::chrono::seconds(1);

}  // namespace

void ImagePlaces::Ask(std::function<void()> answered, std::function<void()> late) {
  late_ = std::move(late);
  late_at_ = dependencies_.clock.Now() + kPatience;
  dependencies_.images.Folders(
      [this, answered = std::move(answered)](const Result<StorageFolders>& folders) {
        late_ = nullptr;
        Take(folders);
        answered();
      });
}

void ImagePlaces::Take(const Result<StorageFolders>& folders) {
  next_ = dependencies_.clock.Now() + kPeriod;
  if (folders) {
    is_known_ = true;
    return dependencies_.found(*folders);
  }
  if (is_known_ || !say_unknown_.Take()) return;
  dependencies_.log.Warn(
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

void RuntimeStart::Try() {
  next_.reset();
  auto pods = dependencies_.runtime.List();
  if (!pods) return GoOnWithout(pods.error());
  listed_ = true;
  dependencies_.listed(std::move(*pods));
}

void RuntimeStart::GoOnWithout(const Error& error) {
  if (++unready_ == 1) {
    dependencies_.log.Warn("container runtime is not ready, the agent waits for it",
                           {{"err", error.message}});
    auto recalled = dependencies_.runtime.Recall();
    dependencies_.log.Info(
        "the agent guards the node without the container runtime; no container is started before "
        "it answers",
        {{"pods", fmt::to_string(recalled.size())}});
    dependencies_.recalled(std::move(recalled));
  }
  delay_ = std::clamp(2 * delay_, kFirstDelay, kMaxDelay);
  next_ = dependencies_.clock.Now() + delay_;
}

void RuntimeStart::Advance(Instant now) {
  if (next_ && *next_ <= now) Try();
}

}  // namespace jettison
