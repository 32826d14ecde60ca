#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "agent/log/log.h"
#include "core/units/duration.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"

namespace jettison {

struct RuntimeStartEdges {
  ContainerRuntime& runtime;
  const Clock& clock;
  const Log& log;
  // Takes the pods that it has, once it has answered.
  std::function<void(std::vector<RuntimePod>)> listed;
  // Takes what is known of them without it, the first time that it does not answer.
  std::function<void(std::vector<RuntimePod>)> recalled;
};

// Asks the runtime for its pods until it answers, at growing intervals. Where it does not answer at
// once, what can be known without it is guarded meanwhile. (The kubelet begins when it answers:
// updateRuntimeUp.)
class RuntimeStart {
 public:
  explicit RuntimeStart(RuntimeStartEdges edges) : edges_(std::move(edges)) {}

  void Try();
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return next_; }
  [[nodiscard]] bool listed() const { return listed_; }
  // How often it did not answer when it was waited for.
  [[nodiscard]] std::uint64_t unready() const { return unready_; }

 private:
  void GoOnWithout(const Error& error);

  RuntimeStartEdges edges_;
  std::optional<Instant> next_;
  Duration delay_{0};
  bool listed_ = false;
  std::uint64_t unready_ = 0;
};

}  // namespace jettison
