#pragma once

#include <functional>
#include <string>
#include <vector>

#include "containers/listing.h"
#include "containers/run_edges.h"
#include "rpc/calls.h"
#include "sources/containerd/foreign_sandboxes.h"
#include "sources/containerd/foreign_tasks.h"
#include "sources/foreign/foreign_group.h"
#include "sources/foreign/foreign_roster.h"
#include "sources/foreign/foreign_source.h"

namespace jettison::cri {

// How this agent's own pods are told apart from foreign ones.
struct ContainerdRules {
  std::string root;    // this agent's, as its sandboxes carry it
  bool adopt = false;  // whether others' pods are looked for
  // Whether this agent's runtime has a pod of the UID.
  std::function<bool(const std::string&)> has;
};

// Finds the foreign pods on a container runtime, whether they were created through CRI or not, and
// pods of an earlier agent that this one has not taken over.
class ContainerdSource : public ForeignSource {
 public:
  // All arguments but `rules` must outlive this object; of `groups`, what it refers to.
  ContainerdSource(Calls& calls, RunEdges& edges, const NodeGroups& groups, ForeignRoster& roster,
                   const ContainerdRules& rules);

  // Compares what is known with a listing of the runtime: a new pod is examined and handed to the
  // roster, and a missing one is reported as PodRemoved.
  void OnListed(const Listing& listing);
  void Await(Duration patience) override;
  [[nodiscard]] std::vector<std::string> NotGuarded() const override;

 private:
  Calls& calls_;
  bool adopt_;
  ForeignSandboxes sandboxes_;
  ForeignTasks tasks_;
};

}  // namespace jettison::cri
