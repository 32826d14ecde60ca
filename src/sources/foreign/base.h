#pragma once

#include <functional>
#include <string_view>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// What keeps the containers of a pod up, and has to be taken down after them.
class Base {
 public:
  using Done = std::function<void(const Result<void>&)>;

  virtual ~Base() = default;

  // Everything in it was killed, or has ended: nothing starts in it from now on, whoever tries, as
  // far as the kernel can see to that.
  virtual void Hold() {}
  // Takes it down, so that nobody starts anything in it again.
  virtual void TakeDown(Duration deadline, Done done) = 0;
  // What that is, for messages: "stop the sandbox".
  [[nodiscard]] virtual std::string_view HowItEnds() const = 0;
};

}  // namespace jettison
