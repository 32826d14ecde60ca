#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "kernel/groups/group_arrivals.h"
#include "kernel/readiness/readiness.h"
#include "pods/run_dependencies.h"
#include "sources/foreign/foreign_group.h"
#include "sources/foreign/foreign_roster.h"
#include "sources/foreign/found_foreign_pod.h"
#include "sources/foreign/held_group.h"
#include "sources/kubernetes/pods/kubelet_pod.h"

namespace jettison::kube {

// Finds the pods that the kubelet runs on this node. The API server names the pods; the groups that
// the kubelet makes for them show their containers. A container is thus known some milliseconds
// after its start, whereas its status arrives a second later, by which time it may use a gigabyte.
class KubernetesSource : public ForeignSource {
 public:
  // What it refers to must outlive it.
  KubernetesSource(PodFeed& feed, const SourceDependencies& dependencies, KubeletPlaces kubelet);
  KubernetesSource(const KubernetesSource&) = delete;
  KubernetesSource& operator=(const KubernetesSource&) = delete;
  ~KubernetesSource() override;

  void Await(Duration patience) override;
  [[nodiscard]] std::vector<std::string> NotGuarded() const override;

 private:
  // A pod of the node.
  struct Known {
    ApiPod pod;
    bool is_gone = false;             // its object is, while it runs
    bool is_checked = false;          // TakeHeld has looked at it since it was reported
    std::string group;                // relative to the node's own
    std::set<std::string> running;    // IDs of its containers
    std::vector<SeenContainer> seen;  // at the last look
    std::set<std::string> groups;     // of the sandbox and of the containers that ran, at that look
    bool is_watched = false;          // whether arrivals in its group are told
    bool is_making = false;           // a container of it is about to run
    bool is_unread = false;           // a process of it runs that cannot be opened now
    std::string left_out;             // why, a sentence; empty: it is not
    int soon_looks = 0;               // at that, since something arrived
    // Set when the agent has ended the pod: nothing of it is found any more.
    std::shared_ptr<HeldGroup> ended;
    HeldGroup::State held = HeldGroup::State::kGone;  // how that was at the last look
  };
  using Pods = std::map<std::string, Known>;  // by UID

  void OnPod(const ApiPod& pod);
  void OnGone(const ObjectHead& head);
  // Forgets those of the pods without an object of which nothing runs.
  void DropGone();
  void Drop(const std::string& uid);
  void OnGivenUp(const std::string& uid);
  [[nodiscard]] std::vector<FoundHeld> TakeHeld();
  void OnArrivals();
  // Looks at the pod's containers, and tells the roster of changes.
  void Look(Known& known);
  void KeepDown(Known& known);
  void OnDown(const std::string& uid, std::shared_ptr<HeldGroup> group);
  void Take(Known& known, std::vector<ForeignContainer> containers);
  void Watch(Known& known);
  [[nodiscard]] static std::vector<SeenContainer> Settled(Known& known, SeenPod now);
  // When it is to be looked at by the clock; absent: the kernel tells when there is something to
  // do.
  [[nodiscard]] static std::optional<Duration> LookAfter(const Known& known);
  // Schedules the next look at the pods that need one.
  void PlanLooks();
  void LookByClock();

  PodFeed& feed_;
  RunDependencies& dependencies_;
  NodeGroups groups_;
  ForeignRoster& roster_;
  KubeletPlaces kubelet_;
  Complaints complaints_;  // by UID
  Pods pods_;
  kernel::GroupArrivals arrivals_;
  kernel::Readiness::Watch on_news_;
  kernel::Readiness::Watch on_arrivals_;
  kernel::Readiness::Watch on_look_again_;
};

}  // namespace jettison::kube
