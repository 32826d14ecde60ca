#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/units/duration.h"
#include "core/units/once.h"
#include "core/units/result.h"
#include "machine/log/log.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "ports/image_store.h"

namespace jettison {

struct ImagePlacesDependencies {
  ImageStore& images;
  const Clock& clock;
  const Log& log;
  std::function<void(const StorageFolders&)> found;
};

// Asks the runtime every 10 s where its images are: it may have been started again with another
// root. The last answer holds while it does not answer. Each question is answered within a few
// seconds, even if the runtime hangs. Nothing here waits.
class ImagePlaces {
 public:
  explicit ImagePlaces(ImagePlacesDependencies dependencies)
      : dependencies_(std::move(dependencies)) {}

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

  ImagePlacesDependencies dependencies_;
  bool is_known_ = false;
  std::optional<Instant> next_;  // absent: it is being asked
  std::function<void()> late_;   // null: nobody is to be told
  Instant late_at_;
  Once say_unknown_;
};

struct RuntimeStartDependencies {
  ContainerRuntime& runtime;
  const Clock& clock;
  const Log& log;
  // Takes the pods of the runtime, once it has answered.
  std::function<void(std::vector<RuntimePod>)> listed;
  // Takes the pods that are known without the runtime, the first time that it does not answer.
  std::function<void(std::vector<RuntimePod>)> recalled;
};

// Asks the runtime for its pods at growing intervals until it answers. If it does not answer at
// once, the pods that are known without it are watched meanwhile. (The kubelet starts only when it
// answers: updateRuntimeUp.)
class RuntimeStart {
 public:
  explicit RuntimeStart(RuntimeStartDependencies dependencies)
      : dependencies_(std::move(dependencies)) {}

  void Try();
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return next_; }
  [[nodiscard]] bool listed() const { return listed_; }
  // How often the agent waited for an answer in vain.
  [[nodiscard]] std::uint64_t unready() const { return unready_; }

 private:
  void GoOnWithout(const Error& error);

  RuntimeStartDependencies dependencies_;
  std::optional<Instant> next_;
  Duration delay_{0};
  bool listed_ = false;
  std::uint64_t unready_ = 0;
};

}  // namespace jettison
