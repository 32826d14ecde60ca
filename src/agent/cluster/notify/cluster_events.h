#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agent/cluster/notify/cluster_caller.h"
#include "core/model/event.h"
#include "core/units/duration.h"
#include "machine/log/log.h"
#include "ports/clock.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/calls/event_queue.h"

namespace jettison {

// What ClusterEvents works with; everything must outlive it.
struct ClusterEventDependencies {
  kube::Cluster& cluster;
  const Clock& clock;
  const Log& log;
  // "namespace/name" of a pod of the cluster; empty: it is none.
  std::function<std::string(std::string_view uid)> name_of_pod;
};

// Sends events of pods to the API server, within limits. Nothing here waits.
class ClusterEvents {
 public:
  // `node`: its name in the cluster.
  ClusterEvents(ClusterEventDependencies dependencies, const std::string& node);

  // Sends an event. An event of a pod that does not belong to the cluster is ignored.
  void Report(const Event& event, Instant now);

  // Does what is due by now.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return queue_.due(); }
  // Number of events that could not be sent since the start.
  [[nodiscard]] std::uint64_t dropped() const { return queue_.dropped(); }

 private:
  [[nodiscard]] std::optional<kube::EventObject> ObjectOf(const Event& event) const;
  void Take(const kube::Outcome& outcome);

  ClusterEventDependencies dependencies_;
  std::string node_;
  kube::EventQueue queue_;
  ClusterCaller caller_;
};

}  // namespace jettison
