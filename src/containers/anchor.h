#pragma once

#include <functional>

#include "containers/container_exit.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// The party that keeps a container: it reports how the container ended, and it has to be told when
// the container is stopped. Urgent operations, signals and the news of an end, go through the
// kernel instead. Each kind of keeper has its own Anchor.
class Anchor {
 public:
  using StandingAnswer = std::function<void(Result<ContainerStanding>)>;
  using Done = std::function<void(const Result<void>&)>;

  virtual ~Anchor() = default;

  // Asks the keeper for the state of the container. kNotFound: the keeper no longer knows the
  // container.
  virtual void AskHowItStands(Duration deadline, StandingAnswer answer) = 0;
  // Tells the keeper that the container is to end within `grace`, or, where that is zero, that it
  // has been killed. `done` is not called where the keeper notices the end of a container itself.
  virtual void TellToStop(Duration grace, Duration deadline, Done done) = 0;
};

}  // namespace jettison
