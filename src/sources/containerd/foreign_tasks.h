#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "containers/container_exit.h"
#include "kernel/readiness/lifetime.h"
#include "pods/run_dependencies.h"
#include "rpc/calls.h"
#include "sources/foreign/foreign_group.h"
#include "sources/foreign/foreign_roster.h"
#include "sources/foreign/found_foreign_pod.h"

namespace jettison::cri {

// What the classes that find pods on a container runtime need.
struct FinderDependencies : SourceDependencies {
  Calls& calls;
};

// Whether the container was created through CRI, which then lists it.
[[nodiscard]] bool IsOfCri(const containers_api::Container& container);

// The key of the pod that consists of the container with this ID. It is unique on the node,
// whatever the namespace.
[[nodiscard]] std::string KeyOf(const std::string& in_namespace, const std::string& id);

// The identity of the pod that consists of this container. Its UID is the container's ID; its name
// is the one that nerdctl gave, otherwise the ID; its namespace is containerd's. The labels, and
// the annotations of the specification, are the container's own, so those of Kubernetes and of
// jettison.io take effect.
[[nodiscard]] ForeignIdentity IdentityOf(const std::string& in_namespace,
                                         const containers_api::Container& container,
                                         const ContainerSpec& spec);

// The container, as far as containerd's record tells.
[[nodiscard]] ForeignContainer ContainerFor(const containers_api::Container& container,
                                            const ContainerSpec& spec);

// A container that containerd runs and CRI does not list. It need not be told of a stop, because
// containerd notices the end of a container itself.
class ContainerdTask : public ContainerKeeper {
 public:
  // `calls` must outlive it.
  ContainerdTask(Calls& calls, TaskKey key) : calls_(calls), key_(std::move(key)) {}

  void AskHowItStands(Duration deadline, StandingAnswer answer) override;
  void TellToStop(Duration, Duration, Done) override {}

 private:
  Calls& calls_;
  TaskKey key_;
};

// Finds the containers that run on containerd and were not created through CRI, in every namespace:
// those of nerdctl, ctr and Docker. Each counts as a pod. A container that cannot be measured is
// left out, as a sandbox is. A runtime without containerd's own API is asked once. Only what runs
// is listed, and a container is asked for once, so those that have stopped cost nothing.
class ForeignTasks {
 public:
  explicit ForeignTasks(const FinderDependencies& dependencies)
      : dependencies_(dependencies), complaints_(dependencies.run) {}
  ForeignTasks(const ForeignTasks&) = delete;
  ForeignTasks& operator=(const ForeignTasks&) = delete;
  ~ForeignTasks() = default;

  // Looks through all namespaces, unless a look is under way, and hands new running containers to
  // the roster.
  void Look();
  [[nodiscard]] bool busy() const { return under_way_ > 0; }
  void AddNotGuarded(std::vector<std::string>& pods) const;

 private:
  using Container = containers_api::Container;
  // A running task that is new, and the namespace of containerd.
  struct NewTask {
    std::string in_namespace;
    task_api::Process process;
  };
  struct PassedOver {
    std::uint32_t pid = 0;  // one that is started again has another process
    std::string why;        // a sentence; empty: it is one of CRI
  };
  // Of a namespace, by key: what is left out, and what is of CRI.
  using AllPassedOver = std::map<std::string, PassedOver>;

  // Counts an answer; the last one ends the look.
  void Answered();
  void OnNamespaces(const Result<namespaces_api::ListNamespacesResponse>& answer);
  void ListTasks(const std::string& in_namespace);
  void OnTasks(const std::string& in_namespace, const tasks_api::ListTasksResponse& answer);
  // Asks for the container of a new task.
  void AskContainer(NewTask task);
  void OnContainer(const NewTask& task, const Result<containers_api::GetContainerResponse>& answer);
  void Consider(const NewTask& task, const Container& container);
  void PassOver(const NewTask& task, std::string why = {});
  void LeaveOut(const ForeignIdentity& identity, const NewTask& task, const std::string& why);
  // Says once, for as long as it is so, that a namespace cannot be read as a whole.
  void Complain(const std::string& in_namespace, std::string_view what, const Error& why);

  FinderDependencies dependencies_;
  Complaints complaints_;                             // by the keys of pods, and by namespace
  std::map<std::string, AllPassedOver> passed_over_;  // by namespace
  std::set<std::string> unread_;                      // namespaces, in this look
  std::size_t under_way_ = 0;                         // answers that have not come
  bool no_api_ = false;
  Lifetime lifetime_;
};

}  // namespace jettison::cri
