#pragma once

#include <string>

#include "agent/workers/worker_edges.h"
#include "core/model/pod.h"

namespace jettison {

// What the events, the log and the counters say of one pod while it runs.
class PodNews {
 public:
  // Both must outlive this.
  PodNews(const Pod& pod, WorkerEdges& edges) : pod_(&pod), edges_(&edges) {}

  void CreateFailed(const std::string& why, Instant now) const;
  void Started(const ContainerStarted& event, Instant now) const;
  void StartFailed(const ContainerStartFailed& event, bool is_init, Instant now) const;
  void Exited(const ContainerExited& event) const;
  void BacksOff(const std::string& container, Instant now) const;
  void KillIsLate(Instant now) const;

 private:
  void Tell(EventType type, const char* reason, std::string message, Instant now) const;

  const Pod* pod_;
  WorkerEdges* edges_;
};

}  // namespace jettison
