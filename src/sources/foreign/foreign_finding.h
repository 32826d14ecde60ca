#pragma once

#include <set>
#include <string>
#include <vector>

#include "containers/anchor.h"
#include "sources/foreign/foreign_pod_value.h"

namespace jettison::cri {

// Somebody else's pod as it was found.
struct ForeignFinding {
  ForeignIdentity identity;
  Base base;                                 // what keeps its containers up
  bool unread = false;                       // this agent's own, which cannot be read
  std::vector<ForeignContainer> containers;  // those that run, not yet named
  std::set<std::string> considered;          // IDs of all that ran when it was looked at
};

}  // namespace jettison::cri
