#pragma once

#include "containers/run_edges.h"
#include "rpc/calls.h"
#include "sources/foreign/foreign_group.h"
#include "sources/foreign/foreign_roster.h"

namespace jettison::cri {

// What those who find pods work with.
struct FinderEdges {
  Calls& calls;
  RunEdges& run;
  NodeGroups groups;
  ForeignRoster& roster;
};

}  // namespace jettison::cri
