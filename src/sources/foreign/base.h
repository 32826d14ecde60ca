#pragma once

#include <functional>
#include <string_view>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// What the containers of a foreign pod belong to, and what has to be taken down after them: a
// sandbox, or the kubelet's pod.
class Base {
 public:
  using Done = std::function<void(const Result<void>&)>;

  virtual ~Base() = default;

  // Called when all containers have been killed or have ended. Prevents, as far as the kernel can,
  // that anybody starts a process in the pod again.
  virtual void Hold() {}
  // Takes it down, so that no container is started in it again. `done` is called with the outcome.
  virtual void TakeDown(Duration deadline, Done done) = 0;
  // The name of that operation, for messages: "stop the sandbox".
  [[nodiscard]] virtual std::string_view HowItEnds() const = 0;
};

}  // namespace jettison
