#pragma once

#include "pods/run_edges.h"
#include "rpc/calls.h"
#include "sources/foreign/foreign_group.h"
#include "sources/foreign/foreign_roster.h"

namespace jettison::cri {

// What the classes that find pods on a container runtime need.
struct FinderEdges {
  Calls& calls;
  RunEdges& run;
  NodeGroups groups;
  ForeignRoster& roster;
};

}  // namespace jettison::cri
