#pragma once

#include <string>
#include <vector>

#include "core/units/duration.h"

namespace jettison {

// Finds foreign pods and hands them to a roster for as long as the source exists. Each source
// decides itself when it looks: after a listing, by a watch or by a timer.
class ForeignSource {
 public:
  virtual ~ForeignSource() = default;

  // Waits until the pods that are being examined have been handed over, at most `patience`.
  virtual void Await(Duration patience) = 0;
  // The pods that it knows of and leaves out, with the reason: a sentence each.
  [[nodiscard]] virtual std::vector<std::string> NotGuarded() const = 0;
};

}  // namespace jettison
