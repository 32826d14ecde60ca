#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "machine/log/log.h"
#include "machine/loop/job_queue.h"
#include "ports/clock.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/client/pod_watch.h"
#include "sources/kubernetes/credentials/api_access.h"
#include "sources/kubernetes/objects/api_objects.h"
#include "sources/kubernetes/pods/kubelet_pod.h"

namespace jettison {

// Logs how well the pods of the node are known, when that changes: once when they have been listed,
// when the API server does not answer, when its certificate is not trusted, and when it answers and
// does not give the pods. Each fault is logged once an hour at most.
class ClusterStateLog {
 public:
  static constexpr Duration kSayAgainAfter = std::chrono::hours(1);

  // The log must outlive this.
  explicit ClusterStateLog(const Log& log) : log_(log) {}

  void Take(const kube::PodWatchState& state, Instant now);

 private:
  // Whether that text is to be logged now.
  [[nodiscard]] bool IsNews(const std::string& text, Instant now);

  const Log& log_;
  bool had_listed_ = false;
  bool was_away_ = false;
  bool was_refused_ = false;                // and that was logged
  std::map<std::string, Instant> said_at_;  // by the text of a fault, within the last hour
};

// The connection to an API server: a thread watches the pods of the node and makes calls, so the
// loop never waits for a handshake, the resolver or a slow server. What it has to tell is passed on
// by Dispatch, on the loop.
class ClusterLink : public kube::Cluster, public kube::PodFeed {
 public:
  struct Setup {
    kube::ApiAccess access;
    std::string node;
    std::shared_ptr<const Clock> clock;
    std::function<double()> chance;  // a random number in [0, 1); called on the thread
    // Reads the access again, on another thread, where it keeps no call waiting; null: its
    // certificates never change. It must own what it uses.
    kube::AccessSource::Read read_access = {};
    const Log* log = nullptr;  // where the state is logged; null: nowhere
  };

  // Starts the thread. Errors as of kube::ApiClient::Open.
  [[nodiscard]] static Result<std::unique_ptr<ClusterLink>> Open(Setup setup);
  ClusterLink(const ClusterLink&) = delete;
  ClusterLink& operator=(const ClusterLink&) = delete;
  // Does not wait for the thread, which may be in the resolver: it ends by itself.
  ~ClusterLink() override;

  // Hands a call to the thread; never waits. A call that the thread cannot begin within `timeout`
  // is not made (kDeadlineExceeded).
  void Ask(kube::ApiCall call, Duration timeout, OnReply on_reply) override;
  void Follow(Listeners listeners) override { listeners_ = std::move(listeners); }
  [[nodiscard]] int fd() const override;
  void Dispatch() override;
  // The eviction of this pod was given up, so the follower looks at it again.
  void GivenUp(const std::string& uid) {
    if (listeners_.on_given_up) listeners_.on_given_up(uid);
  }
  // As PodFeed::Listeners::take_held.
  [[nodiscard]] std::vector<kube::FoundHeld> TakeHeld() {
    return listeners_.take_held ? listeners_.take_held() : std::vector<kube::FoundHeld>();
  }
  // Whether the pods are as complete as they can be: the API server has listed them, or it cannot
  // be reached.
  [[nodiscard]] bool IsComplete() const override { return state_.has_listed || state_.away_since; }

  // How complete and current the known pods are.
  [[nodiscard]] const kube::PodWatchState& state() const { return state_; }
  // Why the API server has never listed the pods; empty: it has, it is away, or it has not been
  // asked yet.
  [[nodiscard]] std::string WhyNeverListed() const;
  // Sets further listeners, which are told of pods after those of Follow.
  void FollowToo(Listeners listeners) { more_listeners_ = std::move(listeners); }

 private:
  struct Shared;
  explicit ClusterLink(std::shared_ptr<Shared> shared);
  void TakePod(const kube::ApiPod& pod);
  void TakeGone(const kube::ObjectHead& head);

  Listeners listeners_;
  Listeners more_listeners_;
  std::optional<ClusterStateLog> state_log_;
  std::map<std::uint64_t, OnReply> asked_;
  std::uint64_t next_id_ = 1;
  kube::PodWatchState state_;
  std::shared_ptr<Shared> shared_;  // with the thread
  JobQueue run_;
};

}  // namespace jettison
