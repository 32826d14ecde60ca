#pragma once

#include "core/units/duration.h"

namespace jettison {

// Finds pods that others have made and hands them to a roster, as long as it is there. What makes
// it look is its own affair: a listing, a watch, a timer.
class ForeignSource {
 public:
  virtual ~ForeignSource() = default;

  // Waits until what is being looked at now has been handed over, but no longer than this.
  virtual void Await(Duration patience) = 0;
};

}  // namespace jettison
