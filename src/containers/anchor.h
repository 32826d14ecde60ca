#pragma once

#include <functional>

#include "containers/container_exit.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// What a running container hangs on: who tells how it ended, and who has to hear that it is
// stopped. What has to be quick, signals and the news of an end, goes past it. There is one kind
// for each keeper of containers, beside whatever knows that keeper.
class Anchor {
 public:
  using StandingAnswer = std::function<void(Result<ContainerStanding>)>;
  using Done = std::function<void(const Result<void>&)>;

  virtual ~Anchor() = default;

  // How the container stands by the keeper's word. kNotFound: it has forgotten the container.
  virtual void AskHowItStands(Duration deadline, StandingAnswer answer) = 0;
  // Tells that the container is to end within `grace`, or has been killed where that is zero. Not
  // answered where the keeper hears of an end by itself.
  virtual void TellToStop(Duration grace, Duration deadline, Done done) = 0;
};

}  // namespace jettison
