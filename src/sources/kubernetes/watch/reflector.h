#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/units/duration.h"
#include "sources/kubernetes/objects/api_objects.h"

namespace jettison::kube {

// A page of a list that is to be asked for.
struct ListRequest {
  // A state not older than this one will do; "0": whichever the server has at hand, empty: the
  // newest.
  std::string not_older_than;
  std::string continue_token;  // empty: the first page
  std::uint32_t limit = 0;     // objects of a page
  friend bool operator==(const ListRequest&, const ListRequest&) = default;
};

// A watch that is to be begun.
struct WatchRequest {
  std::string resource_version;     // what comes behind it is told
  std::chrono::seconds timeout{0};  // when the server is to end it
  friend bool operator==(const WatchRequest&, const WatchRequest&) = default;
};

// Nothing is to be asked before this moment.
struct Pause {
  Instant until;
  friend bool operator==(const Pause&, const Pause&) = default;
};

using Wanted = std::variant<ListRequest, WatchRequest, Pause>;

// How a list or a watch ended other than well.
struct Setback {
  enum class Kind : std::uint8_t {
    kAway,      // nobody answered, it broke off, or the server has a fault (5xx)
    kSilent,    // a watch of a server that sends bookmarks said nothing for too long
    kRefused,   // the server is there and does not want this (401, 403, 429, 400)
    kExpired,   // 410: what was asked for is too old to be told
    kTooNew,    // 504 ResourceVersionTooLarge: a server that is behind
    kTooLarge,  // more bytes than may be taken
    kNonsense,  // an answer that cannot be understood
  };
  Kind kind = Kind::kAway;
  std::optional<Duration> retry_after;  // as the server asks for
};

// Follows the objects of a list: a list in pages, then a watch from where it ended, and again what
// is needed when that breaks; and which objects exist. A pure state machine: it
// is told what happened, with the time and a random number in [0, 1), and says what is to be asked
// next.
//
// After every setback it waits: 1 s at first, doubling to 30 s, each by half up to the whole of
// that at random, and at least as long as the server asks for, up to two minutes. A watch that
// ended within a minute counts as a setback, so that a server which closes at once is not asked
// without a pause.
// Source: k8s.io/client-go/tools/cache.Reflector (1.36).
class Reflector {
 public:
  Reflector();

  [[nodiscard]] Wanted Next(Instant now, double chance) const;

  // OnItem, OnSeen and OnDeleted return whether that is news, which was not told already and is not
  // older than what is known.
  //
  // A list: OnItem for each item of a page, then OnPage with the page's own metadata. After the
  // last page OnPage returns the objects that were known and are not in the list.
  void OnListBegun();
  [[nodiscard]] bool OnItem(const ObjectHead& head);
  [[nodiscard]] std::vector<ObjectHead> OnPage(const std::string& resource_version,
                                               const std::string& continue_token, Instant now,
                                               double chance);
  void OnListFailed(const Setback& setback, Instant now, double chance);

  // A watch: its begin, its events, and its end. Without a setback it ended because the server's
  // time was over. After a watch that fell silent, or that said nothing at all, the next request is
  // a list: a server whose store was set back, as from a backup, has nothing to say of a watch from
  // a version that it has not reached again.
  void OnWatchBegun(Instant now);
  [[nodiscard]] bool OnSeen(const ObjectHead& head);
  [[nodiscard]] bool OnDeleted(const ObjectHead& head);
  // Returns false where the server has repeatedly sent versions older than what is known. Its store
  // was set back, and this watch would deliver nothing; the caller ends it as kExpired.
  [[nodiscard]] bool OnBookmark(const std::string& resource_version);
  void OnWatchEnded(const std::optional<Setback>& setback, Instant now, double chance);

  // Whether a whole list was received since the agent started.
  [[nodiscard]] bool has_listed() const { return has_listed_; }
  // Since when the API server has been away; absent while it answers, whatever it says.
  [[nodiscard]] std::optional<Instant> away_since() const { return away_since_; }
  // Whether a page of a list cannot be made smaller.
  [[nodiscard]] bool asks_for_one() const { return limit_ == 1; }
  // Whether this server tells bookmarks, so that a long silence of a watch means something.
  [[nodiscard]] bool has_bookmarks() const { return has_bookmarks_; }
  // The objects that exist, by UID.
  [[nodiscard]] const std::map<std::string, ObjectHead>& objects() const { return objects_; }

 private:
  // As many that are gone are remembered, so that a late event does not bring them back.
  static constexpr std::size_t kMostGone = 1024;
  enum class From : std::uint8_t { kAnywhere, kKnown, kNewest };

  [[nodiscard]] bool Tell(const ObjectHead& head);
  void Advance(const std::string& resource_version);
  void ListAgain(From from);
  void Delay(Instant now, double chance, std::optional<Duration> retry_after);
  void Note(const Setback& setback, Instant now);
  [[nodiscard]] bool IsSetBack(const std::string& resource_version) const;

  std::map<std::string, ObjectHead> objects_;
  std::map<std::string, std::string> gone_;  // last versions of what was deleted lately, by UID
  std::set<std::string> listed_;             // UIDs of the list that has begun
  bool has_listed_ = false;
  bool has_bookmarks_ = false;
  bool is_listing_ = true;
  From from_ = From::kAnywhere;
  std::string continue_token_;
  std::uint32_t limit_;
  std::string position_;  // the newest version that was told
  std::uint32_t setbacks_ = 0;
  std::uint32_t old_lists_ = 0;      // in a row that were older than what is known
  std::uint32_t old_bookmarks_ = 0;  // the same
  Instant not_before_{};
  std::optional<Instant> away_since_;
  std::optional<Instant> watching_since_;
  bool was_told_ = false;  // anything by the watch that began last
};

}  // namespace jettison::kube
