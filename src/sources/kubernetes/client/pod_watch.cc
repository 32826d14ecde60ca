#include "sources/kubernetes/client/pod_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "codec/documents/json.h"
#include "codec/kubernetes/field.h"
#include "http/client/client.h"
#include "sources/kubernetes/calls/call_complaints.h"

namespace jettison::kube {
namespace {

using Kind = Setback::Kind;

Kind KindOf(const ApiStatus& status) {
  if (status.code == 410 || status.reason == "Expired" || status.reason == "Gone") {
    return Kind::kExpired;
  }
  if (status.code == 413) return Kind::kTooLarge;
  const auto is_too_new = [](const StatusCause& cause) {
    return cause.reason == "ResourceVersionTooLarge";
  };
  if (std::ranges::any_of(status.causes, is_too_new)) return Kind::kTooNew;
  return status.code >= 500 || status.code == 0 ? Kind::kAway : Kind::kRefused;
}

ErrorCode CodeOf(const ApiStatus& status) {
  if (status.code == 401 || status.code == 403) return ErrorCode::kPermissionDenied;
  return status.code == 404 ? ErrorCode::kNotFound : ErrorCode::kUnavailable;
}

using std::chrono::seconds;

// The pods of one node are a page or two, so a longer wait means that the answer was lost.
constexpr Duration kListTimeout = seconds(15);
constexpr Duration kWatchBegins = seconds(30);
// A server ends a watch when its time is over; the agent waits for that no longer than this.
constexpr Duration kWatchOverdue = seconds(30);
// A server that sends bookmarks sends one a minute.
constexpr Duration kLongestSilence = seconds(150);
// A watch that breaks off after such a silence had missed a bookmark.
constexpr Duration kSilence = seconds(120);
// The longest line of one event. An object in etcd has 1.5 MiB at most, and several times as much
// as JSON.
constexpr std::size_t kLongestLine = ApiClient::kMostBytes;

Failure Nonsense(Error error) {
  return {.setback = {.kind = Kind::kNonsense}, .error = std::move(error)};
}

// `verb`: the right that the request needs.
PodWatchFault FaultOf(const Failure& failure, std::string_view verb) {
  const Kind kind = failure.setback.kind;
  const Right right{.verb = verb, .resource = "pods"};
  return {.error = failure.error.In(fmt::format("{} the pods of this node", verb)),
          .is_refusal = kind == Kind::kRefused || kind == Kind::kNonsense,
          .is_untrusted = failure.is_untrusted,
          .missing_rule = failure.is_forbidden ? RuleFor(right) : std::string()};
}

Failure FailureOf(const ApiStatus& status) {
  const std::string words = status.message.empty() ? "" : ": " + status.message;
  return {.setback = {.kind = KindOf(status), .retry_after = status.retry_after},
          .error = {CodeOf(status), fmt::format("HTTP {}{}", status.code, words)},
          .is_forbidden = status.code == 403};
}

}  // namespace

Failure FailureOf(const Result<ApiReply>& reply) {
  if (!reply) {
    return {.setback = {.kind = Kind::kAway},
            .error = reply.error(),
            .is_untrusted = reply.error().code == ErrorCode::kPermissionDenied};
  }
  ApiStatus status = StatusOf(reply->status, reply->body);
  status.code = reply->status;
  if (reply->retry_after) status.retry_after = reply->retry_after;
  return FailureOf(status);
}

PodWatch::PodWatch(ApiClient& client, const Clock& clock, std::string node,
                   std::function<double()> chance, Listeners listeners)
    : client_(client),
      clock_(clock),
      node_(std::move(node)),
      chance_(std::move(chance)),
      listeners_(std::move(listeners)),
      lines_(kLongestLine) {}

PodWatch::~PodWatch() {
  if (under_way_) client_.Cancel(*under_way_);
}

PodWatchState PodWatch::state() const {
  return {.has_listed = reflector_.has_listed(),
          .away_since = reflector_.away_since(),
          .fault = fault_,
          .token_fault = client_.token_fault()};
}

std::optional<Duration> PodWatch::Advance() {
  if (under_way_) return std::nullopt;
  const Instant now = clock_.Now();
  const Wanted wanted = reflector_.Next(now, chance_());
  if (const auto* pause = std::get_if<Pause>(&wanted)) return Elapsed(now, pause->until);
  if (const auto* list = std::get_if<ListRequest>(&wanted)) {
    Ask(*list);
  } else {
    Ask(std::get<WatchRequest>(wanted));
  }
  return std::nullopt;
}

std::string PodWatch::Path(const std::string& query) const {
  return fmt::format("/api/v1/pods?fieldSelector=spec.nodeName%3D{}{}", EncodedForUrl(node_),
                     query);
}

void PodWatch::Ask(const ListRequest& list) {
  std::string query = fmt::format("&limit={}", list.limit);
  if (!list.not_older_than.empty()) {
    query += fmt::format("&resourceVersion={}&resourceVersionMatch=NotOlderThan",
                         EncodedForUrl(list.not_older_than));
  }
  if (!list.continue_token.empty()) {
    query += "&continue=" + EncodedForUrl(list.continue_token);
  }
  reflector_.OnListBegun();
  under_way_ = client_.Call({.path = Path(query)}, kListTimeout,
                            [this](const Result<ApiReply>& reply) { TakePage(reply); });
}

void PodWatch::TakePage(const Result<ApiReply>& reply) {
  under_way_.reset();
  if (!reply || reply->status != 200) return FailList(FailureOf(reply));
  // An item that cannot be read may be any pod, so such a list does not prove that a pod is gone.
  bool understood = true;
  const auto head = ReadListPage(
      reply->body, [&](std::string_view item) { understood = TakeItem(item) && understood; });
  if (!head || !understood) {
    return FailList(
        Nonsense(head ? Error{ErrorCode::kInvalidArgument, "the list has items that are no pods"}
                      : head.error()));
  }
  const auto vanished =
      reflector_.OnPage(head->resource_version, head->continue_token, clock_.Now(), chance_());
  fault_.reset();
  for (const ObjectHead& gone : vanished) listeners_.on_gone(gone);
}

void PodWatch::FailList(const Failure& failure) {
  fault_ = FaultOf(failure, "list");
  if (failure.setback.kind == Kind::kTooLarge && reflector_.asks_for_one()) {
    const auto text =
        fmt::format("a single pod has more than {} MiB of JSON", ApiClient::kMostBytes >> 20);
    fault_ = FaultOf(Nonsense({ErrorCode::kInvalidArgument, text}), "list");
  }
  reflector_.OnListFailed(failure.setback, clock_.Now(), chance_());
}

bool PodWatch::TakeItem(std::string_view json) {
  const auto document = ParseJson(json);
  if (!document) return false;
  const auto pod = ReadApiPod(*document);
  if (!pod) return false;
  if (reflector_.OnItem(pod->head)) listeners_.on_pod(*pod);
  return true;
}

void PodWatch::Ask(const WatchRequest& watch) {
  const std::string query =
      fmt::format("&watch=true&allowWatchBookmarks=true&timeoutSeconds={}&resourceVersion={}",
                  watch.timeout.count(), EncodedForUrl(watch.resource_version));
  lines_.Clear();
  is_watching_ = false;
  under_way_ = client_.Stream(
      {.path = Path(query),
       .timeout = watch.timeout + kWatchOverdue,
       .answers_within = kWatchBegins,
       .silence = reflector_.has_bookmarks() ? kLongestSilence : Duration::zero()},
      [this](std::string_view bytes) { TakeBytes(bytes); },
      [this](const Result<ApiReply>& end) {
        const bool is_over = end && end->status == 200;
        EndWatch(is_over ? std::nullopt : std::optional(FailureOf(end)));
      });
}

void PodWatch::EndWatch(std::optional<Failure> failure) {
  if (under_way_) client_.Cancel(*under_way_);
  under_way_.reset();
  const bool was_silent =
      is_watching_ && reflector_.has_bookmarks() && Elapsed(heard_at_, clock_.Now()) >= kSilence;
  if (failure && was_silent && failure->setback.kind == Kind::kAway) {
    failure->setback.kind = Kind::kSilent;
  }
  if (failure) fault_ = FaultOf(*failure, "watch");
  reflector_.OnWatchEnded(failure ? std::optional(failure->setback) : std::nullopt, clock_.Now(),
                          chance_());
}

void PodWatch::TakeBytes(std::string_view bytes) {
  heard_at_ = clock_.Now();
  if (!std::exchange(is_watching_, true)) {
    reflector_.OnWatchBegun(clock_.Now());
    fault_.reset();
  }
  std::optional<Failure> failure;
  const bool fits = lines_.Push(bytes, [&](std::string_view line) {
    if (!failure) failure = TakeLine(line);
  });
  if (!failure && !fits) {
    failure = Failure{.setback = {.kind = Kind::kTooLarge},
                      .error = {ErrorCode::kInvalidArgument, "an event is too large"}};
  }
  if (failure) EndWatch(std::move(failure));
}

std::optional<Failure> PodWatch::TakeLine(std::string_view json) {
  const auto line = ReadWatchLine(json);
  if (!line) return Nonsense(line.error());
  if (line->kind == WatchKind::kBookmark) return TakeBookmark(line->object());
  if (line->kind != WatchKind::kError) return TakePod(*line);
  kube_json::FaultLog log{.lenient = true};
  return FailureOf(ReadStatus(kube_json::Field(line->object(), log)));
}

std::optional<Failure> PodWatch::TakeBookmark(const Value& object) {
  const Value* metadata = object.Find("metadata");
  const Value* version = metadata == nullptr ? nullptr : metadata->Find("resourceVersion");
  if (version == nullptr || version->AsString() == nullptr) {
    return Nonsense({ErrorCode::kInvalidArgument, "a bookmark without a version"});
  }
  if (reflector_.OnBookmark(*version->AsString())) return std::nullopt;
  return Failure{.setback = {.kind = Kind::kExpired},
                 .error = {ErrorCode::kUnavailable, "the API server's store was set back"}};
}

std::optional<Failure> PodWatch::TakePod(const WatchLine& line) {
  const auto pod = ReadApiPod(line.object());
  if (!pod) return Nonsense(pod.error());
  if (line.kind == WatchKind::kDeleted) {
    if (reflector_.OnDeleted(pod->head)) listeners_.on_gone(pod->head);
  } else if (reflector_.OnSeen(pod->head)) {
    listeners_.on_pod(*pod);
  }
  return std::nullopt;
}

}  // namespace jettison::kube
