#include "sources/kubernetes/client/pod_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "codec/kubernetes/field.h"
#include "http/client/client.h"
#include "sources/kubernetes/calls/call_complaints.h"

namespace jettison::kube {
namespace {

using Kind = Failure::Kind;

Kind KindOf(const ApiStatus& status) {
  if (status.code == 410 || status.reason == "Expired" || status.reason == "Gone") {
    return Kind::kOutdated;
  }
  if (status.code == 413) return Kind::kTooLarge;
  const auto is_too_new = [](const StatusCause& cause) {
    return cause.reason == "ResourceVersionTooLarge";
  };
  if (std::ranges::any_of(status.causes, is_too_new)) return Kind::kOutdated;
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

constexpr std::uint32_t kPageLimit = 100;
constexpr Duration kFirstDelay = seconds(1);
constexpr Duration kLongestDelay = seconds(30);
constexpr Duration kMostRetryAfter = std::chrono::minutes(2);
// A watch that lasted longer than this has ended normally.
constexpr Duration kShortWatch = std::chrono::minutes(1);
// When the server is to end a watch, and up to twice as late at random.
constexpr seconds kShortestWatch = std::chrono::minutes(5);
// After this many setbacks, the list begins again.
constexpr std::uint32_t kMostTriesOfAPage = 3;

Failure Nonsense(Error error) {
  return {.kind = Kind::kNonsense, .error = std::move(error)};
}

// `verb`: the right that the request needs.
PodWatchFault FaultOf(const Failure& failure, std::string_view verb) {
  const Right right{.verb = verb, .resource = "pods"};
  return {.error = failure.error.In(fmt::format("{} the pods of this node", verb)),
          .is_refusal = failure.kind == Kind::kRefused || failure.kind == Kind::kNonsense,
          .is_untrusted = failure.is_untrusted,
          .missing_rule = failure.is_forbidden ? RuleFor(right) : std::string()};
}

Failure FailureOf(const ApiStatus& status) {
  const std::string words = status.message.empty() ? "" : ": " + status.message;
  return {.kind = KindOf(status),
          .error = {CodeOf(status), fmt::format("HTTP {}{}", status.code, words)},
          .retry_after = status.retry_after,
          .is_forbidden = status.code == 403};
}

// Of a reply other than of success.
Failure FailureOf(const Result<ApiReply>& reply) {
  if (!reply) {
    return {.error = reply.error(),
            .is_untrusted = reply.error().code == ErrorCode::kPermissionDenied};
  }
  ApiStatus status = StatusOf(reply->status, reply->body);
  status.code = reply->status;
  if (reply->retry_after) status.retry_after = reply->retry_after;
  return FailureOf(status);
}

Duration Part(Duration whole, double share) {
  return std::chrono::duration_cast<Duration>(whole * share);
}

}  // namespace

PodWatch::PodWatch(ApiClient& client, const Clock& clock, std::string node,
                   std::function<double()> chance, Listeners listeners)
    : client_(client),
      clock_(clock),
      node_(std::move(node)),
      chance_(std::move(chance)),
      listeners_(std::move(listeners)),
      limit_(kPageLimit) {}

PodWatch::~PodWatch() {
  if (under_way_) client_.Cancel(*under_way_);
}

PodWatchState PodWatch::state() const {
  return {.has_listed = has_listed_,
          .away_since = away_since_,
          .fault = fault_,
          .token_fault = client_.token_fault()};
}

std::optional<Duration> PodWatch::Advance() {
  if (under_way_) return std::nullopt;
  if (const Instant now = clock_.Now(); now < not_before_) return Elapsed(now, not_before_);
  if (is_listing_) {
    List();
  } else {
    Watch();
  }
  return std::nullopt;
}

std::string PodWatch::Path(const std::string& query) const {
  return fmt::format("/api/v1/pods?fieldSelector=spec.nodeName%3D{}{}", EncodedForUrl(node_),
                     query);
}

void PodWatch::List() {
  std::string query = fmt::format("&limit={}", limit_);
  if (!continue_token_.empty()) {
    query += "&continue=" + EncodedForUrl(continue_token_);  // it determines the state
  } else {
    listed_.clear();
    if (!newest_) query += "&resourceVersion=0&resourceVersionMatch=NotOlderThan";
  }
  under_way_ = client_.Call({.path = Path(query)}, kListTimeout,
                            [this](const Result<ApiReply>& reply) { TakePage(reply); });
}

void PodWatch::TakePage(const Result<ApiReply>& reply) {
  under_way_.reset();
  if (!reply || reply->status != 200) return FailList(FailureOf(reply));
  const auto page = ReadListPage(reply->body);
  if (!page) {
    const bool is_too_large = page.error().code == ErrorCode::kUnavailable;
    return FailList(
        {.kind = is_too_large ? Kind::kTooLarge : Kind::kNonsense, .error = page.error()});
  }
  // An item that cannot be read may be any pod, so such a list does not prove that a pod is gone.
  bool understood = true;
  for (const Value& item : page->items()) {
    const auto pod = ReadApiPod(item);
    understood = understood && pod;
    if (!pod) continue;
    listed_.insert(pod->head.uid);
    Tell(*pod);
  }
  if (!understood) {
    return FailList(Nonsense({ErrorCode::kInvalidArgument, "the list has items that are no pods"}));
  }
  fault_.reset();
  away_since_.reset();
  continue_token_ = page->continue_token;
  if (!continue_token_.empty()) return;
  has_listed_ = true;
  is_listing_ = false;
  position_ = page->resource_version;
  limit_ = std::min(limit_ * 2, kPageLimit);  // what was too large may be gone
  std::vector<ObjectHead> vanished;
  for (const auto& [uid, head] : pods_) {
    if (!listed_.contains(uid)) vanished.push_back(head);
  }
  for (const ObjectHead& gone : vanished) {
    pods_.erase(gone.uid);
    listeners_.on_gone(gone);
  }
}

void PodWatch::FailList(const Failure& failure) {
  NoteWhetherAway(failure.kind);
  fault_ = FaultOf(failure, "list");
  if (failure.kind == Kind::kTooLarge) {
    ListAgain(true);  // a server ignores the limit if any state suffices
    if (limit_ > 1) {
      limit_ /= 2;
      return;
    }
    const auto text =
        fmt::format("a single pod has more than {} MiB of JSON, or takes too much memory",
                    ApiClient::kMostBytes >> 20);
    fault_ = FaultOf(Nonsense({ErrorCode::kInvalidArgument, text}), "list");
  } else if (failure.kind != Kind::kAway || setbacks_ >= kMostTriesOfAPage) {
    // Else the next try continues where this one stopped.
    ListAgain(newest_ || failure.kind == Kind::kOutdated);
  }
  Delay(failure.retry_after);
}

void PodWatch::Watch() {
  const seconds timeout =
      kShortestWatch + std::chrono::duration_cast<seconds>(Part(kShortestWatch, chance_()));
  const std::string query =
      fmt::format("&watch=true&allowWatchBookmarks=true&timeoutSeconds={}&resourceVersion={}",
                  timeout.count(), EncodedForUrl(position_));
  line_.clear();
  under_way_ = client_.Stream(
      {.path = Path(query),
       .timeout = timeout + kWatchOverdue,
       .answers_within = kWatchBegins,
       .silence = has_bookmarks_ ? kLongestSilence : Duration::zero()},
      [this](std::string_view bytes) { TakeBytes(bytes); },
      [this](const Result<ApiReply>& end) {
        const bool is_over = end && end->status == 200;
        EndWatch(is_over ? std::nullopt : std::optional(FailureOf(end)));
      });
}

void PodWatch::EndWatch(std::optional<Failure> failure) {
  if (under_way_) client_.Cancel(*under_way_);
  under_way_.reset();
  const Instant now = clock_.Now();
  const auto began = std::exchange(watching_since_, std::nullopt);
  const bool lasted = began && Elapsed(*began, now) >= kShortWatch;
  const bool was_silent = began && has_bookmarks_ && Elapsed(heard_at_, now) >= kSilence;
  if (lasted && !was_told_) ListAgain(true);
  if (!failure && lasted) {
    setbacks_ = 0;
    return;
  }
  if (!failure) return Delay(std::nullopt);
  if (was_silent && failure->kind == Kind::kAway) failure->kind = Kind::kSilent;
  NoteWhetherAway(failure->kind);
  fault_ = FaultOf(*failure, "watch");
  // What is outdated, too large or cannot be understood would come again.
  if (failure->kind != Kind::kAway && failure->kind != Kind::kRefused) ListAgain(true);
  Delay(failure->retry_after);
}

void PodWatch::TakeBytes(std::string_view bytes) {
  heard_at_ = clock_.Now();
  if (!watching_since_) {
    watching_since_ = heard_at_;
    was_told_ = false;
    away_since_.reset();
    fault_.reset();
  }
  std::optional<Failure> failure;
  const std::size_t before = line_.size();
  std::size_t begin = 0;
  line_ += bytes;
  for (std::size_t end = line_.find('\n', before); end != std::string::npos && !failure;
       end = line_.find('\n', begin)) {
    const std::string_view line = std::string_view(line_).substr(begin, end - begin);
    if (!line.empty()) failure = TakeLine(line);
    begin = end + 1;
  }
  line_.erase(0, begin);
  if (!failure && line_.size() > kLongestLine) {
    failure = Failure{.kind = Kind::kTooLarge,
                      .error = {ErrorCode::kInvalidArgument, "an event is too large"}};
  }
  if (failure) EndWatch(std::move(failure));
}

std::optional<Failure> PodWatch::TakeLine(std::string_view json) {
  const auto line = ReadWatchLine(json);
  if (!line) return Nonsense(line.error());
  if (line->kind == WatchKind::kBookmark) return TakeBookmark(line->object());
  if (line->kind == WatchKind::kError) {
    kube_json::FaultLog log{.lenient = true};
    return FailureOf(ReadStatus(kube_json::Field(line->object(), log)));
  }
  const auto pod = ReadApiPod(line->object());
  if (!pod) return Nonsense(pod.error());
  Advance(pod->head.resource_version);
  if (line->kind != WatchKind::kDeleted) {
    Tell(*pod);
  } else if (pods_.erase(pod->head.uid) > 0) {
    listeners_.on_gone(pod->head);
  }
  return std::nullopt;
}

std::optional<Failure> PodWatch::TakeBookmark(const Value& object) {
  const Value* metadata = object.Find("metadata");
  const Value* version = metadata == nullptr ? nullptr : metadata->Find("resourceVersion");
  if (version == nullptr || version->AsString() == nullptr) {
    return Nonsense({ErrorCode::kInvalidArgument, "a bookmark without a version"});
  }
  has_bookmarks_ = true;
  const auto order = CompareVersions(*version->AsString(), position_);
  if (order && *order < 0) {
    return Failure{.kind = Kind::kOutdated,
                   .error = {ErrorCode::kUnavailable, "the API server's store was set back"}};
  }
  Advance(*version->AsString());
  return std::nullopt;
}

void PodWatch::Tell(const ApiPod& pod) {
  ObjectHead& known = pods_[pod.head.uid];
  if (known == pod.head) return;
  known = pod.head;
  listeners_.on_pod(pod);
}

void PodWatch::Advance(const std::string& resource_version) {
  setbacks_ = 0;
  was_told_ = true;
  position_ = resource_version;
}

void PodWatch::ListAgain(bool newest) {
  is_listing_ = true;
  newest_ = newest;
  continue_token_.clear();
}

void PodWatch::NoteWhetherAway(Kind kind) {
  if (kind != Kind::kAway && kind != Kind::kSilent) {
    away_since_.reset();
  } else if (!away_since_) {
    away_since_ = clock_.Now();
  }
}

void PodWatch::Delay(std::optional<Duration> retry_after) {
  constexpr std::uint32_t kMostDoublings = 5;
  const Duration whole =
      std::min(kFirstDelay * (1U << std::min(setbacks_++, kMostDoublings)), kLongestDelay);
  Duration delay = Part(whole, 0.5 + chance_() / 2);
  if (retry_after) delay = std::max(delay, std::min(*retry_after, kMostRetryAfter));
  not_before_ = clock_.Now() + delay;
}

}  // namespace jettison::kube
