#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/model/fault.h"

namespace jettison::kube_json {

// What a reading complains about: faults spoil the document, warnings tell what has no effect.
struct FaultLog {
  std::string file;      // named in every fault
  bool lenient = false;  // no warnings, and what the agent cannot do is passed over
  Faults faults;
  std::vector<std::string> warnings;
  std::size_t more_warnings = 0;  // that are not listed
};

}  // namespace jettison::kube_json
