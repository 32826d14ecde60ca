#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/units/duration.h"
#include "machine/log/log.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"

namespace jettison {

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
