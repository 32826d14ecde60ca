#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "agent/loop/job_queue.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/clock.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/client/pod_watch.h"
#include "sources/kubernetes/credentials/access_source.h"
#include "sources/kubernetes/credentials/api_access.h"
#include "sources/kubernetes/objects/api_pod.h"
#include "sources/kubernetes/objects/object_head.h"

namespace jettison {

// A pod of the node that appeared or changed.
struct ClusterPod {
  kube::Verdict verdict = kube::Verdict::kAppeared;
  kube::ApiPod pod;
};
// A pod that is gone.
struct ClusterPodGone {
  kube::ObjectHead head;
};
// The answer to a call.
struct ClusterAnswer {
  std::uint64_t id = 0;  // as it was asked
  Result<kube::ApiReply> reply;
};
// A change of how complete and current the known pods are.
struct ClusterState {
  kube::PodWatchState watch;
};
// The pods cannot be kept on disk; told once until they can.
struct ClusterNotKept {
  Error error;
};
using ClusterNews =
    std::variant<ClusterPod, ClusterPodGone, ClusterAnswer, ClusterState, ClusterNotKept>;

// The thread that talks to an API server: it watches the pods of the node and makes calls. So the
// loop never waits for a handshake, the resolver or a slow server.
class ClusterWorker {
 public:
  struct Setup {
    kube::ApiAccess access;
    std::string node;
    std::shared_ptr<const Clock> clock;
    std::function<double()> chance;  // a random number in [0, 1); called on the thread
    std::string pods_folder;         // where the pods are kept (KnownPods); empty: nowhere
    // Reads the access again, on another thread, where it keeps no call waiting; null: its
    // certificates never change. It must own what it uses.
    kube::AccessSource::Read read_access = {};
  };

  // Starts the thread. Errors as of kube::ApiClient::Open.
  [[nodiscard]] static Result<std::unique_ptr<ClusterWorker>> Start(Setup setup);
  ClusterWorker(const ClusterWorker&) = delete;
  ClusterWorker& operator=(const ClusterWorker&) = delete;
  // Does not wait for the thread, which may be in the resolver: it ends by itself.
  ~ClusterWorker();

  // Hands a call to the thread; never waits. The answer arrives as news with this ID, within
  // `timeout` or soon after it. A call that the thread cannot begin within that is not made
  // (kDeadlineExceeded).
  void Ask(std::uint64_t id, kube::ApiCall call, Duration timeout);
  // What happened since, in order.
  [[nodiscard]] std::vector<ClusterNews> TakeNews();
  // Readable while there are news.
  [[nodiscard]] int fd() const;

 private:
  struct Shared;
  explicit ClusterWorker(std::shared_ptr<Shared> shared);

  std::shared_ptr<Shared> shared_;  // with the thread
  JobQueue run_;
};

}  // namespace jettison
