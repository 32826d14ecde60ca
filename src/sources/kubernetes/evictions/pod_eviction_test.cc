#include "sources/kubernetes/evictions/pod_eviction.h"

#include <gmock/gmock.h>

#include <chrono>

#include "sources/kubernetes/evictions/soft_eviction_book.h"

namespace jettison::kube {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Instant kNow{seconds(1'767'225'600)};
constexpr WallTime kWall{seconds(1'767'225'600)};
constexpr auto kMark = CallPurpose::kMarkPod;
constexpr auto kDelete = CallPurpose::kDeletePod;

EvictionIntent Web() {
  return {.namespace_ = "team",
          .name = "web-1",
          .uid = "u-1",
          .message = "The node was low on resource: memory. ",
          .grace_seconds = 1,
          .evicted_at = kWall};
}
Outcome Of(CallResult result) {
  return {.result = result, .why = "w", .retry_after = std::nullopt};
}

class PodEvictionTest : public testing::Test {
 protected:
  // The calls that are made now: "mark", "delete".
  std::vector<std::string> Asked(Instant now) {
    std::vector<std::string> asked;
    for (const EvictionCall& one : eviction_.TakeCalls(now, kWall)) {
      asked.emplace_back(one.purpose == kMark ? "mark" : "delete");
    }
    return asked;
  }
  // Makes the next calls and answers them like this.
  void Answer(CallResult mark, CallResult deleted) {
    const Instant at = eviction_.due().value();
    for (const EvictionCall& one : eviction_.TakeCalls(at, kWall)) {
      eviction_.Take(one.purpose, Of(one.purpose == kMark ? mark : deleted), at);
    }
  }

  PodEviction eviction_{Web(), kNow, kNow};
};

TEST_F(PodEvictionTest, EndsAsTheAnswersSay) {
  struct Row {
    CallResult mark;
    CallResult deleted;
    std::optional<EvictionEnd> end;
  };
  using enum CallResult;
  constexpr Row kRows[] = {
      {kDone, kDone, EvictionEnd::kDeleted}, {kForbidden, kDone, EvictionEnd::kDeleted},
      {kAway, kDone, EvictionEnd::kDeleted}, {kGone, kDone, EvictionEnd::kDeleted},
      {kDone, kGone, EvictionEnd::kGone},    {kDone, kAnother, EvictionEnd::kGone},
      {kAway, kGone, EvictionEnd::kGone},    {kGone, kAway, std::nullopt},
      {kAnother, kForbidden, std::nullopt},  {kDone, kAway, std::nullopt},
      {kDone, kBusy, std::nullopt},          {kDone, kConflict, std::nullopt},
      {kDone, kBudget, std::nullopt},        {kDone, kRefused, std::nullopt},
      {kDone, kForbidden, std::nullopt},     {kDone, kUnauthenticated, std::nullopt},
  };
  for (const Row& row : kRows) {
    eviction_ = PodEviction(Web(), kNow, kNow);
    Answer(row.mark, row.deleted);
    EXPECT_EQ(eviction_.end(), row.end)
        << static_cast<int>(row.mark) << ", " << static_cast<int>(row.deleted);
    EXPECT_EQ(eviction_.due().has_value(), !row.end) << static_cast<int>(row.mark);
  }
}

TEST_F(PodEvictionTest, IsTriedAgainUntilTheServerIsBack) {
  Instant at = kNow;
  for (const int ms : {200, 400, 800, 1600, 3200, 6400, 12800, 15000, 15000}) {
    Answer(CallResult::kAway, CallResult::kAway);
    at += milliseconds(ms);
    ASSERT_EQ(eviction_.due(), at);
    EXPECT_THAT(eviction_.TakeCalls(at - milliseconds(1), kWall), IsEmpty());
  }
  EXPECT_THAT(Asked(at), ElementsAre("mark", "delete"));
}

TEST_F(PodEvictionTest, AServerThatWantsToBeAskedLaterIsAskedTwoMinutesLaterAtTheLatest) {
  for (const auto& [wanted, until] :
       {std::pair{seconds(90), seconds(90)}, {seconds(3600), seconds(120)}}) {
    eviction_ = PodEviction(Web(), kNow, kNow);
    Outcome busy = Of(CallResult::kBusy);
    busy.retry_after = wanted;
    for (const EvictionCall& one : eviction_.TakeCalls(kNow, kWall)) {
      eviction_.Take(one.purpose, busy, kNow);
    }
    EXPECT_EQ(eviction_.due(), kNow + until);
  }
}

TEST_F(PodEvictionTest, AnAnswerThatIsLostIsNotWaitedForUntilTheKubeletStartsThePodAgain) {
  for (const EvictionCall& one : eviction_.TakeCalls(kNow, kWall)) {
    EXPECT_EQ(one.timeout, PodEviction::kFirstTimeout);
    eviction_.Take(one.purpose, Of(CallResult::kAway), kNow + one.timeout);
  }
  const Instant again = eviction_.due().value();
  EXPECT_LT(again, kNow + seconds(1));
  for (const EvictionCall& one : eviction_.TakeCalls(again, kWall)) {
    EXPECT_EQ(one.timeout, PodEviction::kTimeout) << "a slow server is given time";
  }
}

TEST_F(PodEvictionTest, AMarkThatMetTheKubeletIsMadeAgainWhileItCounts) {
  (void)Asked(kNow);
  eviction_.Take(kDelete, {}, kNow);
  eviction_.Take(kMark, Of(CallResult::kConflict), kNow + milliseconds(49));
  EXPECT_EQ(eviction_.end(), std::nullopt);
  EXPECT_THAT(Asked(kNow + milliseconds(49)), ElementsAre("mark"));
  eviction_.Take(kMark, Of(CallResult::kConflict), kNow + milliseconds(51));
  EXPECT_EQ(eviction_.end(), EvictionEnd::kDeleted);
}

constexpr Instant kStart{hours(1000)};

SoftAnswer Ask(SoftEvictionBook& book, const std::string& uid, const Outcome& outcome,
               Instant now) {
  book.Asked(uid, now);
  return book.Take(uid, outcome, now).answer;
}

TEST(SoftEvictionBook, AnAgentAfterThisOneKeepsToTheSameRate) {
  const SoftEvictionLimits two{.per_hour = 2, .cool_down = Duration(0)};
  SoftEvictionBook before(two);
  for (int i = 0; i < 3; ++i) {
    (void)Ask(before, std::to_string(i), Of(CallResult::kDone), kStart + minutes(i));
  }
  (void)Ask(before, "kept", Of(CallResult::kBudget), kStart + minutes(2));
  const Instant now = kStart + minutes(2) + seconds(10);
  SoftEvictionBook after(two);
  after.Resume(before.SoFar(now), now);
  EXPECT_EQ(after.HoldAt(now), before.HoldAt(now));
  EXPECT_EQ(after.SparedAt(now), before.SparedAt(now));
  EXPECT_EQ(after.SoFar(now).granted.size(), 2U) << "only those that count";
  EXPECT_EQ(after.SoFar(now + hours(2)), SoftEvictionsSoFar{});
}

TEST(SoftEvictionBook, AServerThatWantsToBeAskedLaterIsAskedLaterWithinLimits) {
  SoftEvictionBook book({});
  Outcome outcome = Of(CallResult::kBudget);
  for (const auto& [wanted, until] : {std::pair{seconds(10), seconds(60)},
                                      {seconds(90), seconds(90)},
                                      {seconds(900), seconds(120)}}) {
    outcome.retry_after = wanted;
    (void)Ask(book, "a", outcome, kStart);
    EXPECT_EQ(book.SparedAt(kStart).front().until, kStart + until);
  }
}

TEST(SoftEvictionBook, AnEvictionThatIsGrantedTwiceCountsOnce) {
  SoftEvictionBook book({.per_hour = 2, .cool_down = minutes(1)});
  book.Asked("a", kStart);
  book.Asked("a", kStart + seconds(6));  // the first answer is late
  EXPECT_EQ(book.Take("a", {}, kStart + seconds(7)).answer, SoftAnswer::kGranted);
  EXPECT_EQ(book.Take("a", {}, kStart + seconds(8)).answer, SoftAnswer::kOver);
  EXPECT_EQ(book.SoFar(kStart + seconds(8)).granted.size(), 1U);
  SoftEvictionBook after({.per_hour = 2, .cool_down = minutes(1)});
  after.Resume(book.SoFar(kStart + seconds(8)), kStart + seconds(8));
  EXPECT_EQ(after.Take("a", {}, kStart + seconds(9)).answer, SoftAnswer::kOver);
  EXPECT_FALSE(book.HoldAt(kStart + seconds(67)));
}

TEST(SoftEvictionBook, NoMoreThanSoManyGoWithinAnHour) {
  SoftEvictionBook book({.per_hour = 2, .cool_down = Duration(0)});
  (void)Ask(book, "a", {}, kStart);
  (void)Ask(book, "b", {}, kStart + minutes(10));
  EXPECT_EQ(book.HoldAt(kStart + minutes(20)),
            (SoftHold{.reason = PaceReason::kHourlyRate, .until = kStart + hours(1)}));
  EXPECT_FALSE(book.HoldAt(kStart + hours(1)));
  (void)Ask(book, "c", {}, kStart + hours(1));
  EXPECT_EQ(book.HoldAt(kStart + hours(1))->until, kStart + minutes(70));
}

TEST(SoftEvictionBook, WhileNobodyCanBeAskedTheQuestionWaitsLongerEachTime) {
  SoftEvictionBook book({});
  EXPECT_EQ(Ask(book, "a", Of(CallResult::kAway), kStart), SoftAnswer::kLater);
  EXPECT_EQ(book.HoldAt(kStart),
            (SoftHold{.reason = PaceReason::kApiAway, .until = kStart + milliseconds(200)}));
  EXPECT_THAT(book.SparedAt(kStart), IsEmpty()) << "it is still the first victim";
  (void)Ask(book, "a", Of(CallResult::kBusy), kStart + seconds(1));
  EXPECT_EQ(book.HoldAt(kStart + seconds(1))->until, kStart + seconds(1) + milliseconds(400));
  (void)Ask(book, "a", Of(CallResult::kBudget), kStart + seconds(2));
  (void)Ask(book, "a", Of(CallResult::kAway), kStart + minutes(2));
  EXPECT_EQ(book.HoldAt(kStart + minutes(2))->until, kStart + minutes(2) + milliseconds(200));
}

}  // namespace
}  // namespace jettison::kube
