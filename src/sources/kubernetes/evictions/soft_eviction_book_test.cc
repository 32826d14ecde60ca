#include "sources/kubernetes/evictions/soft_eviction_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace jettison::kube {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::IsEmpty;

constexpr Instant kStart{hours(1000)};

Outcome OutcomeOf(CallResult result, std::string why = "") {
  return {.result = result, .why = std::move(why), .retry_after = std::nullopt};
}

SoftAnswer Ask(SoftEvictionBook& book, const std::string& uid, const Outcome& outcome,
               Instant now) {
  book.Asked(uid, now);
  return book.Take(uid, outcome, now).answer;
}

TEST(SoftEvictionBook, AnAgentAfterThisOneKeepsToTheSameRate) {
  const SoftEvictionLimits two{.per_hour = 2, .cool_down = Duration(0)};
  SoftEvictionBook before(two);
  for (int i = 0; i < 3; ++i) {
    (void)Ask(before, std::to_string(i), OutcomeOf(CallResult::kDone), kStart + minutes(i));
  }
  (void)Ask(before, "kept", OutcomeOf(CallResult::kBudget, "needs 2"), kStart + minutes(2));
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
  Outcome outcome = OutcomeOf(CallResult::kBudget, "still being processed");
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
  EXPECT_EQ(Ask(book, "a", OutcomeOf(CallResult::kAway), kStart), SoftAnswer::kLater);
  EXPECT_EQ(book.HoldAt(kStart),
            (SoftHold{.reason = PaceReason::kApiAway, .until = kStart + milliseconds(200)}));
  EXPECT_THAT(book.SparedAt(kStart), IsEmpty()) << "it is still the first victim";
  (void)Ask(book, "a", OutcomeOf(CallResult::kBusy), kStart + seconds(1));
  EXPECT_EQ(book.HoldAt(kStart + seconds(1))->until, kStart + seconds(1) + milliseconds(400));
  (void)Ask(book, "a", OutcomeOf(CallResult::kBudget), kStart + seconds(2));
  (void)Ask(book, "a", OutcomeOf(CallResult::kAway), kStart + minutes(2));
  EXPECT_EQ(book.HoldAt(kStart + minutes(2))->until, kStart + minutes(2) + milliseconds(200));
}

}  // namespace
}  // namespace jettison::kube
