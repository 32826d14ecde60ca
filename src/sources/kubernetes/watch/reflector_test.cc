#include "sources/kubernetes/watch/reflector.h"

#include <gmock/gmock.h>

namespace jettison::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = Setback::Kind;

constexpr Instant kStart{std::chrono::hours(500'000)};

ObjectHead Head(const std::string& uid, const std::string& version) {
  return {.namespace_ = "d", .name = "pod-" + uid, .uid = uid, .resource_version = version};
}

std::vector<std::string> UidsOf(const std::vector<ObjectHead>& heads) {
  std::vector<std::string> uids;
  for (const ObjectHead& head : heads) uids.push_back(head.uid);
  return uids;
}

// A reflector that has its list (objects a and b, at version 100) and is watching.
class Watching : public testing::Test {
 protected:
  Watching() {
    List({Head("a", "10"), Head("b", "20")}, "100");
    reflector_.OnWatchBegun(now_);
  }
  std::vector<std::string> List(const std::vector<ObjectHead>& items, const std::string& version) {
    reflector_.OnListBegun();
    for (const ObjectHead& item : items) static_cast<void>(reflector_.OnItem(item));
    return UidsOf(reflector_.OnPage(version, "", now_, 0));
  }
  [[nodiscard]] Wanted Next() const { return reflector_.Next(now_, 0); }
  // Steps the time to the end of the pause, and returns how long that took; zero without one.
  Duration Wait() {
    const Wanted wanted = Next();
    const auto* pause = std::get_if<Pause>(&wanted);
    if (pause == nullptr) return Duration::zero();
    return Elapsed(std::exchange(now_, pause->until), pause->until);
  }

  Instant now_ = kStart;
  Reflector reflector_;
};

TEST_F(Watching, WatchesThatEndAtOnceAreNotBegunWithoutAPause) {
  std::vector<Duration> waits;
  for (int i = 0; i < 7; ++i) {
    reflector_.OnWatchEnded(std::nullopt, now_, 1);
    waits.push_back(Wait());
    reflector_.OnWatchBegun(now_);
  }
  EXPECT_THAT(waits, ElementsAre(seconds(1), seconds(2), seconds(4), seconds(8), seconds(16),
                                 seconds(30), seconds(30)));
}

TEST_F(Watching, ListThatWorkAndWatchesThatAreTooOldAtOnceAreNoHotLoop) {
  Duration all{0};
  for (int i = 0; i < 10; ++i) {
    reflector_.OnWatchEnded(Setback{.kind = Kind::kExpired}, now_, 0);
    all += Wait();
    List({Head("a", "10"), Head("b", "20")}, "100");
  }
  EXPECT_GT(all, seconds(80));
}

// The next list after a failed one: from which state, and after what time.
TEST_F(Watching, WhatAListThatFailedLeadsTo) {
  struct Row {
    Setback setback;
    std::string from;
    std::uint32_t limit;
    Duration wait;
    bool is_away;
  };
  const Row rows[] = {
      {{.kind = Kind::kAway}, "0", 100, milliseconds(500), true},
      {{.kind = Kind::kAway, .retry_after = seconds(7)}, "0", 100, seconds(7), true},
      {{.kind = Kind::kRefused}, "0", 100, milliseconds(500), false},
      {{.kind = Kind::kRefused, .retry_after = seconds(9)}, "0", 100, seconds(9), false},
      {{.kind = Kind::kRefused, .retry_after = minutes(60)}, "0", 100, minutes(2), false},
      {{.kind = Kind::kNonsense}, "0", 100, milliseconds(500), false},
      {{.kind = Kind::kExpired}, "", 100, milliseconds(500), false},
      {{.kind = Kind::kTooNew, .retry_after = seconds(1)}, "", 100, seconds(1), false},
      {{.kind = Kind::kTooLarge}, "", 50, Duration::zero(), false},
  };
  for (const Row& row : rows) {
    reflector_ = Reflector();
    now_ = kStart;
    reflector_.OnListBegun();
    reflector_.OnListFailed(row.setback, now_, 0);
    EXPECT_EQ(reflector_.away_since().has_value(), row.is_away);
    EXPECT_EQ(Wait(), row.wait);
    EXPECT_EQ(Next(), Wanted(ListRequest{
                          .not_older_than = row.from, .continue_token = "", .limit = row.limit}));
  }
}

TEST(Reflector, AListIsBegunAnewWhereAPageNeverComes) {
  Reflector reflector;
  reflector.OnListBegun();
  static_cast<void>(reflector.OnPage("100", "more", kStart, 0));
  Instant now = kStart;
  std::vector<std::string> tokens;
  for (int i = 0; i < 5; ++i) {
    now += minutes(1);
    reflector.OnListFailed({.kind = Kind::kAway}, now - minutes(1), 0);
    tokens.push_back(std::get<ListRequest>(reflector.Next(now, 0)).continue_token);
  }
  EXPECT_THAT(tokens, ElementsAre("more", "more", "more", "", ""));
}

}  // namespace
}  // namespace jettison::kube
