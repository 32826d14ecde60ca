#pragma once

#include <functional>
#include <string>

#include "containers/listing.h"
#include "containers/run_edges.h"
#include "rpc/calls.h"
#include "sources/containerd/foreign_sandboxes.h"
#include "sources/containerd/foreign_tasks.h"
#include "sources/foreign/foreign_group.h"
#include "sources/foreign/foreign_roster.h"
#include "sources/foreign/foreign_source.h"

namespace jettison::cri {

// What tells foreign pods from this agent's.
struct ContainerdRules {
  std::string root;    // of this agent, on its sandboxes
  bool adopt = false;  // whether any but its own that cannot be read are looked for
  // Whether this agent has a pod of the UID that cannot be read.
  std::function<bool(const std::string&)> unread;
};

// Foreign pods on a container runtime, those that came through CRI and those that did not;
// and those of this agent that cannot be read, which are nobody's.
class ContainerdSource : public ForeignSource {
 public:
  // All but the rules must outlive it, of the groups what they refer to.
  ContainerdSource(Calls& calls, RunEdges& edges, const NodeGroups& groups, ForeignRoster& roster,
                   const ContainerdRules& rules);

  // Compares with what the runtime has: what is new is looked at and told as found, what is gone
  // as PodRemoved.
  void OnListed(const Listing& listing);
  void Await(Duration patience) override;

 private:
  Calls& calls_;
  bool adopt_;
  ForeignSandboxes sandboxes_;
  ForeignTasks tasks_;
};

}  // namespace jettison::cri
