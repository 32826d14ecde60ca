#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/cluster/link/cluster_worker.h"
#include "agent/cluster/link/pod_ends.h"
#include "core/units/result.h"
#include "sources/kubernetes/calls/cluster.h"
#include "sources/kubernetes/pods/pod_feed.h"

namespace jettison {

// The loop's side of the thread that talks to an API server: passes each message of the thread on
// to its listener.
class ClusterLink : public kube::Cluster, public kube::PodFeed {
 public:
  // Errors as of ClusterWorker::Start.
  [[nodiscard]] static Result<std::unique_ptr<ClusterLink>> Open(ClusterWorker::Setup setup);
  explicit ClusterLink(std::unique_ptr<ClusterWorker> worker) : worker_(std::move(worker)) {}

  void Ask(kube::ApiCall call, Duration timeout, OnReply on_reply) override;
  void Follow(Listeners listeners) override;
  [[nodiscard]] int fd() const override { return worker_->fd(); }
  void Dispatch() override;
  // The eviction of this pod was given up, so the follower looks at it again.
  void TellGivenUp(const std::string& uid) {
    if (listeners_.on_given_up) listeners_.on_given_up(uid);
  }
  // As PodFeed::Listeners::take_held.
  [[nodiscard]] std::vector<kube::FoundHeld> TakeHeld() {
    return listeners_.take_held ? listeners_.take_held() : std::vector<kube::FoundHeld>();
  }
  // As PodFeed::Listeners::goes_on; absent: what it was told last may be out of date, because the
  // pods are not followed at present.
  [[nodiscard]] std::optional<bool> GoesOn(const std::string& uid) const;
  // Whether the pods are as complete as they can be: the API server has listed them, or it cannot
  // be reached and those known to an earlier run of the agent are used.
  [[nodiscard]] bool IsComplete() const override { return state_.has_listed || state_.away_since; }

  // How complete and current the known pods are.
  [[nodiscard]] const kube::PodWatchState& state() const { return state_; }
  // Why the API server has never listed the pods; empty: it has, it is away, or it has not been
  // asked yet.
  [[nodiscard]] std::string WhyNeverListed() const;
  // Told when that changes.
  void OnState(std::function<void(const kube::PodWatchState&)> told) {
    on_state_ = std::move(told);
  }
  // Told when the pods cannot be kept on disk: once, until they can.
  void OnNotKept(std::function<void(const Error&)> told) { on_not_kept_ = std::move(told); }
  // Sets the listeners for the ends of pods, in addition to those of Follow.
  void FollowEnds(PodEnds::Listeners listeners) { ends_.Follow(std::move(listeners)); }

 private:
  void Take(const ClusterPod& news);
  void Take(const ClusterPodGone& news);
  void Take(const ClusterAnswer& news);
  void Take(const ClusterState& news);
  void Take(const ClusterNotKept& news);

  std::unique_ptr<ClusterWorker> worker_;
  Listeners listeners_;
  PodEnds ends_;
  std::function<void(const kube::PodWatchState&)> on_state_;
  std::function<void(const Error&)> on_not_kept_;
  std::map<std::uint64_t, OnReply> asked_;
  std::uint64_t next_id_ = 1;
  kube::PodWatchState state_;
};

}  // namespace jettison
