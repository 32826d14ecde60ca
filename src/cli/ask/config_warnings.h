#pragma once

#include <set>
#include <string>

#include "core/model/fault.h"

namespace jettison {

// Tells on standard error what the author of a configuration may have meant differently. A warning
// is told once, however often its file is read.
class ConfigWarnings {
 public:
  void Tell(const Faults& warnings);

 private:
  std::set<std::string> told_;
};

}  // namespace jettison
