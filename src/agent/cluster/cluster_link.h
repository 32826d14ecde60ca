#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "agent/cluster/cluster_worker.h"
#include "agent/cluster/pod_ends.h"
#include "core/units/result.h"
#include "sources/kubernetes/calls/cluster.h"
#include "sources/kubernetes/pods/pod_feed.h"

namespace jettison {

// The loop's end of the thread that talks to an API server: hands out what that tells, each thing
// to whoever waits for it.
class ClusterLink : public kube::Cluster, public kube::PodFeed {
 public:
  // Errors as of ClusterWorker::Start.
  [[nodiscard]] static Result<std::unique_ptr<ClusterLink>> Open(ClusterWorker::Setup setup);
  explicit ClusterLink(std::unique_ptr<ClusterWorker> worker) : worker_(std::move(worker)) {}

  void Ask(kube::ApiCall call, Duration timeout, OnReply on_reply) override;
  void Follow(Listeners listeners) override;
  [[nodiscard]] int fd() const override { return worker_->fd(); }
  void Dispatch() override;
  // The API server has listed them, or is away, so that no more than an earlier life knew is known.
  [[nodiscard]] bool IsComplete() const override { return state_.has_listed || state_.away_since; }

  // How well the pods are known.
  [[nodiscard]] const kube::PodWatchState& state() const { return state_; }
  // Told when that changes.
  void OnState(std::function<void(const kube::PodWatchState&)> told) {
    on_state_ = std::move(told);
  }
  // Who is told of pods that end, beside who follows them all.
  void FollowEnds(PodEnds::Listeners listeners) { ends_.Follow(std::move(listeners)); }

 private:
  void Take(const ClusterPod& news);
  void Take(const ClusterPodGone& news);
  void Take(const ClusterAnswer& news);
  void Take(const ClusterState& news);

  std::unique_ptr<ClusterWorker> worker_;
  Listeners listeners_;
  PodEnds ends_;
  std::function<void(const kube::PodWatchState&)> on_state_;
  std::map<std::uint64_t, OnReply> asked_;
  std::uint64_t next_id_ = 1;
  kube::PodWatchState state_;
};

}  // namespace jettison
