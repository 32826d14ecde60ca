#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
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

namespace jettison::kube {

// How a list or a watch ended other than well.
struct Failure {
  enum class Kind : std::uint8_t {
    kAway,      // nobody answered, it broke off, or the server has a fault (5xx)
    kSilent,    // a watch of a server that sends bookmarks said nothing for too long
    kRefused,   // the server is there and does not want this (401, 403, 429, 400)
    kOutdated,  // what was asked for is too old (410), or too new for a server that is behind (504)
    kTooLarge,  // more bytes than may be taken
    kNonsense,  // an answer that cannot be understood
  };
  Kind kind = Kind::kAway;
  Error error;
  std::optional<Duration> retry_after = {};  // as the server asks for
  bool is_forbidden = false;                 // the agent has no right to it
  bool is_untrusted = false;                 // the certificate of the server is not trusted
};

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
//
// The pods are listed in pages, then watched from where the list ended; a watch that was cut goes
// on where it was. After every setback it waits: 1 s at first, doubling to 30 s, each by half up to
// the whole of that at random, and at least as long as the server asks for, up to two minutes. A
// watch that ended within a minute counts as a setback, so that a server which closes at once is
// not asked without a pause. After a watch that fell silent, or that said nothing at all, the next
// request is a list: a server whose store was set back, as from a backup, has nothing to say of a
// watch from a version that it has not reached again.
// Source: k8s.io/client-go/tools/cache.Reflector (1.36).
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
  void List();
  void TakePage(const Result<ApiReply>& reply);
  void FailList(const Failure& failure);
  void Watch();
  void TakeBytes(std::string_view bytes);
  // What is wrong with a line; absent: nothing. A failure ends the watch.
  [[nodiscard]] std::optional<Failure> TakeLine(std::string_view json);
  [[nodiscard]] std::optional<Failure> TakeBookmark(const Value& object);
  void EndWatch(std::optional<Failure> failure);
  // Reports the pod unless it was reported in this state.
  void Tell(const ApiPod& pod);
  // The watch has told of this version.
  void Advance(const std::string& resource_version);
  // The next request is the first page of a list.
  void ListAgain(bool newest);
  void NoteWhetherAway(Failure::Kind kind);
  void Delay(std::optional<Duration> retry_after);
  [[nodiscard]] std::string Path(const std::string& query) const;

  ApiClient& client_;
  const Clock& clock_;
  const std::string node_;
  const std::function<double()> chance_;
  const Listeners listeners_;
  std::optional<ApiClient::Id> under_way_;
  std::map<std::string, ObjectHead> pods_;  // that exist, by UID
  bool has_listed_ = false;                 // a whole list, in this life
  bool is_listing_ = true;
  bool newest_ = false;                    // of a list: not whichever state the server has at hand
  std::uint32_t limit_;                    // pods of a page
  std::string continue_token_;             // empty: the first page
  std::set<std::string> listed_;           // UIDs of the list that has begun
  std::string line_;                       // of the watch, as far as it has come
  std::string position_;                   // the newest version that was told
  std::optional<Instant> watching_since_;  // absent: no watch has begun to answer
  bool has_bookmarks_ = false;             // so that a long silence of a watch means something
  bool was_told_ = false;                  // anything by the watch that began last
  Instant heard_at_{};                     // when it last said something
  std::uint32_t setbacks_ = 0;             // in a row
  Instant not_before_{};                   // nothing is asked before
  std::optional<Instant> away_since_;
  std::optional<PodWatchFault> fault_;
};

}  // namespace jettison::kube
