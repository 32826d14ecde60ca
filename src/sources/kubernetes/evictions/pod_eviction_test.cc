#include "sources/kubernetes/evictions/pod_eviction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace jettison::kube {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
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
Outcome Of(CallResult result, std::optional<Duration> retry_after = std::nullopt) {
  return {.result = result, .why = "w", .retry_after = retry_after};
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

}  // namespace
}  // namespace jettison::kube
