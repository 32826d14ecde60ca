#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/value.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/clock.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/client/api_client.h"
#include "sources/kubernetes/objects/api_answers.h"
#include "sources/kubernetes/objects/api_objects.h"
#include "sources/kubernetes/watch/reflector.h"

namespace jettison::kube {

// What an unexpected answer means to the follower of a list, and in words.
struct Failure {
  Setback setback;
  Error error;
  bool is_forbidden = false;  // the agent has no right to it
  bool is_untrusted = false;  // the certificate of the server is not trusted
};

// `reply`: as ApiClient::OnReply has it, other than of success.
[[nodiscard]] Failure FailureOf(const Result<ApiReply>& reply);

// Why the pods cannot be followed.
struct PodWatchFault {
  Error error;
  // The API server answers, and its answer is no list or watch: waiting alone does not mend that.
  bool is_refusal = false;
  // The certificate of the API server is not trusted, so it is asked nothing.
  bool is_untrusted = false;
  std::string missing_rule;  // the RBAC rule that would mend it; empty: none is missing
  friend bool operator==(const PodWatchFault&, const PodWatchFault&) = default;
};

// How complete and how recent the knowledge of the pods is.
struct PodWatchState {
  bool has_listed = false;             // in this life of the agent
  std::optional<Instant> away_since;   // since when the API server has been away
  std::optional<PodWatchFault> fault;  // the last setback, until it is overcome
  std::optional<Error> token_fault;    // why the token could not be read the last time
  friend bool operator==(const PodWatchState&, const PodWatchState&) = default;
};

// Follows the pods of a node: reports each pod that exists, each change and each end, once. It
// never waits; it is called after each Turn of its client.
class PodWatch {
 public:
  // A pod that appeared or changed, as it is now.
  using OnPod = std::function<void(const ApiPod&)>;
  // A pod that is gone, as far as it is known who it was.
  using OnGone = std::function<void(const ObjectHead&)>;
  struct Listeners {
    OnPod on_pod;
    OnGone on_gone;
  };

  // Client and clock must outlive it; `chance` gives a random number in [0, 1).
  PodWatch(ApiClient& client, const Clock& clock, std::string node, std::function<double()> chance,
           Listeners listeners);
  PodWatch(const PodWatch&) = delete;
  PodWatch& operator=(const PodWatch&) = delete;
  ~PodWatch();

  // Starts the requests that are due. Returns when it is to be called again if nothing arrives
  // until then; absent: when something arrives.
  std::optional<Duration> Advance();

  [[nodiscard]] PodWatchState state() const;

 private:
  void Ask(const ListRequest& list);
  void Ask(const WatchRequest& watch);
  void TakePage(const Result<ApiReply>& reply);
  // False: the item is no pod.
  bool TakeItem(std::string_view json);
  void TakeBytes(std::string_view bytes);
  // These take a line and what is in it. A failure ends the watch.
  [[nodiscard]] std::optional<Failure> TakeLine(std::string_view json);
  [[nodiscard]] std::optional<Failure> TakeBookmark(const Value& object);
  [[nodiscard]] std::optional<Failure> TakePod(const WatchLine& line);
  void EndWatch(std::optional<Failure> failure);
  void FailList(const Failure& failure);
  [[nodiscard]] std::string Path(const std::string& query) const;

  ApiClient& client_;
  const Clock& clock_;
  const std::string node_;
  const std::function<double()> chance_;
  const Listeners listeners_;
  Reflector reflector_;
  LineCutter lines_;
  std::optional<ApiClient::Id> under_way_;
  bool is_watching_ = false;  // what is under way has begun to answer
  Instant heard_at_{};        // when it last said something
  std::optional<PodWatchFault> fault_;
};

}  // namespace jettison::kube
