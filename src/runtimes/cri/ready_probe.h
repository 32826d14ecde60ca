#pragma once

#include <memory>
#include <optional>

#include "runtimes/cri/base/runtime_context.h"

namespace jettison::cri {

// Asks whether the runtime answers and is ready.
class ReadyProbe {
 public:
  explicit ReadyProbe(RuntimeContext& context) : context_(context) {}

  // Waits so long at most; whoever asks again before the answer has come waits for the same one.
  // kUnavailable: it has not come, or the runtime is not ready.
  [[nodiscard]] Result<void> Ask(Duration wait);

 private:
  // One question; shared with its answers.
  struct Probe {
    std::optional<Result<void>> outcome;
  };

  void Start();

  RuntimeContext& context_;
  std::shared_ptr<Probe> probe_;
};

}  // namespace jettison::cri
