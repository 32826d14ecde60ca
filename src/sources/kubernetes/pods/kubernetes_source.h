#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "containers/run_edges.h"
#include "kernel/readiness/readiness.h"
#include "sources/foreign/complaints.h"
#include "sources/foreign/foreign_group.h"
#include "sources/foreign/foreign_roster.h"
#include "sources/foreign/foreign_source.h"
#include "sources/kubernetes/pods/kubelet_pod.h"
#include "sources/kubernetes/pods/pod_feed.h"

namespace jettison::kube {

// The pods that a kubelet runs on this node. Who they are the API server tells; what runs of them
// is looked for in the kubelet's tree of groups, by the IDs that their status tells.
class KubernetesSource : public ForeignSource {
 public:
  // What it refers to must outlive it.
  KubernetesSource(PodFeed& feed, RunEdges& edges, const NodeGroups& groups, ForeignRoster& roster,
                   KubeletPlaces kubelet);
  KubernetesSource(const KubernetesSource&) = delete;
  KubernetesSource& operator=(const KubernetesSource&) = delete;
  ~KubernetesSource() override;

  void Await(Duration patience) override;

 private:
  // A pod of the node.
  struct Seen {
    std::set<std::string> running;  // IDs of containers, by its status
    std::optional<ApiPod> missed;   // it could not be looked after, and is looked for again
    bool ended = false;             // by us: it is not looked after again
  };

  void OnPod(const ApiPod& pod);
  void OnGone(const ObjectHead& head);
  // The roster is told what runs of all pods now.
  void TellRunning();
  void LookFor(const ApiPod& pod);
  // Each container that runs. kNotFound: none does, any more or yet.
  [[nodiscard]] Result<void> FindContainers(const ApiPod& pod, ForeignFinding& finding) const;
  [[nodiscard]] Result<ForeignContainer> Find(const ApiPod& pod,
                                              const ContainerStatus& status) const;
  void Miss(const ApiPod& pod, const Error& why);
  void LookAgain();

  PodFeed& feed_;
  RunEdges& edges_;
  NodeGroups groups_;
  ForeignRoster& roster_;
  KubeletPlaces kubelet_;
  Complaints complaints_;             // by UID
  std::map<std::string, Seen> seen_;  // by UID
  pod_host::Readiness::Watch on_news_;
  pod_host::Readiness::Watch on_look_again_;
};

}  // namespace jettison::kube
