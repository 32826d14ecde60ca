#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel/readiness/lifetime.h"
#include "rpc/containerd_calls.h"
#include "rpc/containerd_task.h"
#include "sources/containerd/finder_edges.h"
#include "sources/foreign/complaints.h"

namespace jettison::cri {

// Finds the containers that run on containerd and were not created through CRI, in every namespace:
// those of nerdctl, ctr and Docker. Each counts as a pod. A container that cannot be measured is
// left out, as a sandbox is. A runtime without containerd's own API is asked once.
class ForeignTasks {
 public:
  explicit ForeignTasks(const FinderEdges& edges) : edges_(edges), complaints_(edges.run) {}
  ForeignTasks(const ForeignTasks&) = delete;
  ForeignTasks& operator=(const ForeignTasks&) = delete;
  ~ForeignTasks() = default;

  // Looks through all namespaces, unless a look is under way, and hands new running containers to
  // the roster.
  void Look();
  [[nodiscard]] bool busy() const { return under_way_ > 0; }

 private:
  using Container = containers_api::Container;

  // Counts an answer; the last one ends the look.
  void Answered(bool complete);
  void OnNamespaces(const Result<namespaces_api::ListNamespacesResponse>& answer);
  void ListContainers(const std::string& in_namespace);
  void OnContainers(const std::string& in_namespace,
                    Result<containers_api::ListContainersResponse> answer);
  // IDs of those in this namespace that the roster has.
  [[nodiscard]] std::vector<std::string> TakenIn(const std::string& in_namespace);
  void AskTask(const std::string& in_namespace, Container container);
  void Consider(const std::string& in_namespace, const Container& container,
                const task_api::Process& task);
  void LeaveOut(const ForeignIdentity& identity, const Container& container,
                const std::string& why);

  FinderEdges edges_;
  Complaints complaints_;                        // by the keys of their pods, as all that follows
  std::set<std::string> seen_;                   // in this look
  bool seen_all_ = true;                         // no answer was missing in it
  std::map<std::string, std::size_t> left_out_;  // with the hash of the specification
  std::size_t under_way_ = 0;                    // answers that have not come
  bool no_api_ = false;
  std::map<std::string, TaskKey> taken_;  // those that the roster has
  Lifetime lifetime_;
};

}  // namespace jettison::cri
