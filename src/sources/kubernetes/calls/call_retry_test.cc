#include <gtest/gtest.h>

#include <set>

#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/calls/call_complaints.h"

namespace jettison::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Instant kAskedAt{seconds(1'767'225'600)};

Outcome Of(CallResult result, std::optional<Duration> retry_after = std::nullopt) {
  return {.result = result, .why = "w", .retry_after = retry_after};
}

TEST(CallRetry, DoublesFromAFifthOfASecondTo15SecondsAndBeginsAnewAfterASuccess) {
  CallRetry retry;
  for (const int ms : {200, 400, 800, 1600, 3200, 6400, 12800, 15000, 15000}) {
    EXPECT_EQ(retry.After(Of(CallResult::kAway), kAskedAt), kAskedAt + milliseconds(ms));
  }
  retry.Reset();
  EXPECT_EQ(retry.After(Of(CallResult::kAway), kAskedAt), kAskedAt + milliseconds(200));
}

TEST(CallRetry, TheServerMayAskForMoreTimeWithinLimits) {
  struct Row {
    Duration asked;
    Duration pause;
  };
  constexpr Row kRows[] = {{seconds(0), milliseconds(200)},
                           {seconds(3), seconds(3)},
                           {minutes(2), minutes(2)},
                           {minutes(500), minutes(2)}};
  for (const Row& row : kRows) {
    EXPECT_EQ(CallRetry().After(Of(CallResult::kBusy, row.asked), kAskedAt), kAskedAt + row.pause);
  }
}

TEST(CallRetry, WhatOnlyAPersonCanMendIsTriedOnceAMinute) {
  for (const CallResult result :
       {CallResult::kForbidden, CallResult::kRefused, CallResult::kBudget}) {
    CallRetry retry;
    EXPECT_EQ(retry.After(Of(result), kAskedAt), kAskedAt + minutes(1)) << static_cast<int>(result);
    EXPECT_EQ(retry.After(Of(result), kAskedAt), kAskedAt + minutes(1)) << static_cast<int>(result);
  }
}

TEST(CallRetry, AServerThatHasJustStartedMayDenyWhatItAllowsSoon) {
  CallRetry retry;
  for (int i = 0; i < 20; ++i) (void)retry.After(Of(CallResult::kAway), kAskedAt);
  for (const int ms : {200, 400, 800, 1600, 3200, 60'000, 60'000}) {
    EXPECT_EQ(retry.After(Of(CallResult::kForbidden), kAskedAt), kAskedAt + milliseconds(ms));
  }
  (void)retry.After(Of(CallResult::kAway), kAskedAt);
  EXPECT_EQ(retry.After(Of(CallResult::kForbidden), kAskedAt), kAskedAt + milliseconds(200));
}

TEST(CallRetry, ATokenThatWasRefusedIsTriedOnceMoreSoonForItIsReadAgain) {
  CallRetry retry;
  EXPECT_EQ(retry.After(Of(CallResult::kUnauthenticated), kAskedAt), kAskedAt + milliseconds(200));
  EXPECT_EQ(retry.After(Of(CallResult::kUnauthenticated), kAskedAt), kAskedAt + minutes(1));
}

TEST(CallComplaints, AreSaidOnceUntilACallSucceeds) {
  CallComplaints complaints;
  const auto first = complaints.Take(CallPurpose::kDeletePod, Of(CallResult::kForbidden));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->message,
            "the agent has no right to delete pods; the kubelet starts an evicted pod again");
  EXPECT_EQ(first->rule, R"(- {apiGroups: [""], resources: [pods], verbs: [delete]})");
  EXPECT_FALSE(complaints.Take(CallPurpose::kDeletePod, Of(CallResult::kForbidden)));
  const auto away = complaints.Take(CallPurpose::kDeletePod, Of(CallResult::kAway));
  ASSERT_TRUE(away);
  EXPECT_EQ(away->rule, "");
  EXPECT_EQ(away->err, "w");
  EXPECT_TRUE(complaints.Take(CallPurpose::kMarkPod, Of(CallResult::kForbidden)));
  EXPECT_FALSE(complaints.Take(CallPurpose::kDeletePod, {}));
  EXPECT_TRUE(complaints.Take(CallPurpose::kDeletePod, Of(CallResult::kForbidden)));
}

TEST(CallComplaints, ACertificateThatIsNotTrustedIsNotCalledASilentServer) {
  const auto complaint = CallComplaints().Take(
      CallPurpose::kDeletePod, OutcomeOf(Fail(ErrorCode::kPermissionDenied, "no one we know")));
  ASSERT_TRUE(complaint);
  EXPECT_EQ(complaint->message,
            "the certificate of the API server is not trusted; the kubelet starts an evicted pod "
            "again until it is");
  EXPECT_EQ(complaint->err, "no one we know");
}

TEST(CallComplaints, WhatIsNormalIsNotSaid) {
  CallComplaints complaints;
  for (const CallResult result :
       {CallResult::kDone, CallResult::kGone, CallResult::kAnother, CallResult::kConflict}) {
    EXPECT_FALSE(complaints.Take(CallPurpose::kDeletePod, Of(result))) << static_cast<int>(result);
  }
}

TEST(CallComplaints, EveryPurposeHasARightOfItsOwn) {
  std::set<std::string> rights;
  for (std::size_t i = 0; i < kCallPurposeCount; ++i) {
    rights.insert(Describe(RightFor(static_cast<CallPurpose>(i))));
  }
  EXPECT_EQ(rights.size(), kCallPurposeCount);
}

}  // namespace
}  // namespace jettison::kube
