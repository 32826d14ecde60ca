#include "sources/kubernetes/watch/reflector.h"

#include <algorithm>
#include <utility>

namespace jettison::kube {
namespace {

// Whether a version is not newer than the known one. Versions that cannot be compared are old only
// if they are equal.
bool IsOld(const std::string& told, const std::string& known) {
  const auto order = CompareVersions(told, known);
  return order ? *order <= 0 : told == known;
}

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint32_t kPageLimit = 100;
constexpr Duration kFirstDelay = seconds(1);
constexpr Duration kLongestDelay = seconds(30);
constexpr Duration kMostRetryAfter = minutes(2);
// A watch that lasted longer than this has ended normally.
constexpr Duration kShortWatch = minutes(1);
constexpr seconds kShortestTimeout = minutes(5);
// After this many setbacks, the list begins again.
constexpr std::uint32_t kMostTriesOfAPage = 3;
// After this many lists in a row that are older than what is known, the store is assumed to have
// been restored, as from a backup.
constexpr std::uint32_t kMostOldLists = 3;
// The same for bookmarks, which come once a minute. A server that only lags does not lag for so
// long.
constexpr std::uint32_t kMostOldBookmarks = 3;

Duration Part(Duration whole, double share) {
  return std::chrono::duration_cast<Duration>(whole * share);
}

Duration BackOff(std::uint32_t setbacks, double chance) {
  constexpr std::uint32_t kMostDoublings = 5;
  const Duration whole =
      std::min(kFirstDelay * (1U << std::min(setbacks - 1, kMostDoublings)), kLongestDelay);
  return Part(whole, 0.5 + chance / 2);
}

}  // namespace

Reflector::Reflector() : limit_(kPageLimit) {}

Wanted Reflector::Next(Instant now, double chance) const {
  if (now < not_before_) return Pause{.until = not_before_};
  if (!is_listing_) {
    return WatchRequest{.resource_version = position_,
                        .timeout = kShortestTimeout + std::chrono::duration_cast<seconds>(
                                                          Part(kShortestTimeout, chance))};
  }
  ListRequest list{.continue_token = continue_token_, .limit = limit_};
  if (!continue_token_.empty()) return list;  // the token determines the state
  if (from_ == From::kAnywhere) list.not_older_than = "0";
  if (from_ == From::kKnown) list.not_older_than = position_;
  return list;
}

// Where the store was set back, the versions that were known before no longer hold.
void Reflector::OnListBegun() {
  if (!continue_token_.empty()) return;
  listed_.clear();
  if (old_lists_ < kMostOldLists) return;
  gone_.clear();
  for (auto& [uid, head] : objects_) head.resource_version.clear();
}

bool Reflector::OnItem(const ObjectHead& head) {
  listed_.insert(head.uid);
  return Tell(head);
}

bool Reflector::Tell(const ObjectHead& head) {
  const auto gone = gone_.find(head.uid);
  if (gone != gone_.end() && IsOld(head.resource_version, gone->second)) return false;
  const auto [at, is_new] = objects_.try_emplace(head.uid, head);
  if (!is_new && IsOld(head.resource_version, at->second.resource_version)) return false;
  at->second = head;
  return true;
}

bool Reflector::IsSetBack(const std::string& resource_version) const {
  const auto order = CompareVersions(resource_version, position_);
  return order && *order < 0;
}

std::vector<ObjectHead> Reflector::OnPage(const std::string& resource_version,
                                          const std::string& continue_token, Instant now,
                                          double chance) {
  away_since_.reset();
  if (!continue_token.empty()) {
    continue_token_ = continue_token;
    return {};
  }
  if (IsSetBack(resource_version) && old_lists_ < kMostOldLists) {
    ++old_lists_;
    ListAgain(From::kNewest);
    Delay(now, chance, std::nullopt);
    return {};
  }
  old_lists_ = 0;
  has_listed_ = true;
  is_listing_ = false;
  continue_token_.clear();
  position_ = resource_version;
  // What was too large may be gone.
  limit_ = std::min(limit_ * 2, kPageLimit);
  std::vector<ObjectHead> vanished;
  for (const auto& [uid, head] : objects_) {
    if (!listed_.contains(uid)) vanished.push_back(head);
  }
  for (const ObjectHead& head : vanished) objects_.erase(head.uid);
  return vanished;
}

void Reflector::OnListFailed(const Setback& setback, Instant now, double chance) {
  Note(setback, now);
  const bool can_halve = limit_ > 1;
  switch (setback.kind) {
    case Setback::Kind::kAway:
    case Setback::Kind::kSilent:
      // The next try continues where this one stopped, unless this page keeps failing.
      if (setbacks_ >= kMostTriesOfAPage) ListAgain(from_);
      break;
    case Setback::Kind::kRefused:
    case Setback::Kind::kNonsense: ListAgain(from_); break;
    case Setback::Kind::kExpired:
    case Setback::Kind::kTooNew: ListAgain(From::kNewest); break;
    case Setback::Kind::kTooLarge:
      // A server ignores the limit if any state suffices.
      limit_ = std::max(limit_ / 2, 1U);
      ListAgain(From::kNewest);
      if (can_halve) return;
      break;
  }
  Delay(now, chance, setback.retry_after);
}

void Reflector::OnWatchBegun(Instant now) {
  away_since_.reset();
  watching_since_ = now;
  was_told_ = false;
}

bool Reflector::OnSeen(const ObjectHead& head) {
  Advance(head.resource_version);
  return Tell(head);
}

bool Reflector::OnDeleted(const ObjectHead& head) {
  Advance(head.resource_version);
  if (gone_.size() >= kMostGone) gone_.clear();
  gone_[head.uid] = head.resource_version;
  return objects_.erase(head.uid) > 0;
}

bool Reflector::OnBookmark(const std::string& resource_version) {
  has_bookmarks_ = true;
  was_told_ = true;
  old_bookmarks_ = IsSetBack(resource_version) ? old_bookmarks_ + 1 : 0;
  if (old_bookmarks_ >= kMostOldBookmarks) {
    old_bookmarks_ = 0;
    return false;
  }
  Advance(resource_version);
  return true;
}

void Reflector::Advance(const std::string& resource_version) {
  setbacks_ = 0;
  was_told_ = true;
  const auto order = CompareVersions(resource_version, position_);
  if (!order || *order > 0) position_ = resource_version;
}

void Reflector::OnWatchEnded(const std::optional<Setback>& setback, Instant now, double chance) {
  const auto began = std::exchange(watching_since_, std::nullopt);
  const bool lasted = began && Elapsed(*began, now) >= kShortWatch;
  if (lasted && !was_told_) ListAgain(From::kKnown);
  if (!setback) {
    if (lasted) {
      setbacks_ = 0;
      return;
    }
    return Delay(now, chance, std::nullopt);
  }
  Note(*setback, now);
  if (setback->kind == Setback::Kind::kExpired) ListAgain(From::kNewest);
  // What was too large or unreadable would come again.
  if (setback->kind == Setback::Kind::kTooLarge || setback->kind == Setback::Kind::kNonsense ||
      setback->kind == Setback::Kind::kSilent) {
    ListAgain(From::kKnown);
  }
  Delay(now, chance, setback->retry_after);
}

void Reflector::Note(const Setback& setback, Instant now) {
  if (setback.kind != Setback::Kind::kAway && setback.kind != Setback::Kind::kSilent) {
    away_since_.reset();
  } else if (!away_since_) {
    away_since_ = now;
  }
}

void Reflector::ListAgain(From from) {
  is_listing_ = true;
  from_ = from;
  continue_token_.clear();
}

void Reflector::Delay(Instant now, double chance, std::optional<Duration> retry_after) {
  ++setbacks_;
  Duration delay = BackOff(setbacks_, chance);
  if (retry_after) delay = std::max(delay, std::min(*retry_after, kMostRetryAfter));
  not_before_ = now + delay;
}

}  // namespace jettison::kube
