#pragma once

#include <string>

#include "core/units/duration.h"

namespace jettison {

// A pod that goes for no soft threshold until then. A hard one does not ask.
struct SparedPod {
  std::string uid;
  std::string why;  // in the words of who spares it
  Instant until;
  friend bool operator==(const SparedPod&, const SparedPod&) = default;
};

}  // namespace jettison
