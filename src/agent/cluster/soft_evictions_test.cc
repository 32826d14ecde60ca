#include "agent/cluster/soft_evictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/test_bed/fake_cluster.h"

namespace jettison {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kBudget =
    R"({"kind":"Status","code":429,"reason":"TooManyRequests","message":"Cannot evict pod",)"
    R"("details":{"causes":[{"reason":"DisruptionBudget","message":"needs 2 healthy pods"}]}})";
constexpr const char* kNotFound =
    R"({"kind":"Status","code":404,"reason":"NotFound","message":"pods not found"})";
constexpr const char* kOtherUid =
    R"({"kind":"Status","code":409,"reason":"Conflict",)"
    R"("message":"the UID in the precondition does not match the UID in record: a, b"})";

class ClusterSoftEvictionsTest : public testing::Test {
 protected:
  void SetUp() override {
    soft_ = std::make_unique<ClusterSoftEvictions>(
        ClusterSoftEvictionDependencies{
            .access = {.cluster = cluster_, .clock = clock_, .log = log_},
            .events = events_,
            .name_of_pod =
                [](std::string_view uid) {
                  return uid == "gone" ? std::string(uid) : "default/pod-" + std::string(uid);
                },
            .kills_at_once = [](std::string_view uid) { return uid == "job"; }},
        kube::SoftEvictionLimits{});
  }
  void Ask(const std::string& uid) {
    soft_->Ask({.pod_uid = uid, .grace_period_seconds = 20, .annotations = {}, .soft = true},
               clock_.Now());
  }
  [[nodiscard]] std::string Answered() {
    const auto answer = soft_->TakeAnswer();
    if (!answer) return "";
    return answer->order.pod_uid + (answer->granted ? " granted" : " not granted");
  }
  [[nodiscard]] std::optional<PaceReason> Held() const {
    const auto hold = soft_->HoldAt(clock_.Now());
    return hold ? std::optional(hold->reason) : std::nullopt;
  }

  FakeClock clock_{Instant(hours(500'000))};
  kube::FakeCluster cluster_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  EventLog events_{log_, 16};
  std::unique_ptr<ClusterSoftEvictions> soft_;
};

TEST_F(ClusterSoftEvictionsTest, OfAPodThatMustNotBeAskedToEndOnlyThePermissionIsAskedFor) {
  for (const std::string uid : {"job", "web"}) {
    Ask(uid);
    ASSERT_THAT(cluster_.Waiting(),
                ElementsAre("POST /api/v1/namespaces/default/pods/pod-" + uid + "/eviction"));
    const bool is_dry =
        cluster_.waiting()[0].call.body.find(R"("dryRun":["All"])") != std::string::npos;
    EXPECT_EQ(is_dry, uid == "job");
    cluster_.Answer(201);
    const auto answer = soft_->TakeAnswer();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->granted);
    EXPECT_EQ(answer->order.left_to_agent, uid == "job");
    clock_.Advance(minutes(2));
  }
}

TEST_F(ClusterSoftEvictionsTest, AsksWithTheGracePeriodAndTheUidAndTellsOfTheGrant) {
  Ask("a");
  ASSERT_THAT(cluster_.Waiting(),
              ElementsAre("POST /api/v1/namespaces/default/pods/pod-a/eviction"));
  EXPECT_THAT(cluster_.waiting()[0].call.body, HasSubstr(R"("gracePeriodSeconds":20)"));
  EXPECT_THAT(cluster_.waiting()[0].call.body, HasSubstr(R"("uid":"a")"));
  EXPECT_EQ(Held(), PaceReason::kAsked);
  EXPECT_EQ(Answered(), "");
  cluster_.Answer(201);
  EXPECT_EQ(Answered(), "a granted");
  EXPECT_EQ(Answered(), "") << "each answer is returned once";
  EXPECT_EQ(Held(), PaceReason::kCoolDown);
}

TEST_F(ClusterSoftEvictionsTest, ASuccessOfWhatIsNoApiServerGrantsNothing) {
  Ask("a");
  cluster_.Answer(201, "<html>");
  EXPECT_EQ(Answered(), "a not granted");
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("that is not an API server's: <html>")));
}

TEST_F(ClusterSoftEvictionsTest, ABudgetSparesThePodAndLogAndEventSayWhyOnce) {
  for (int i = 0; i < 2; ++i) {
    Ask("a");
    cluster_.Answer(429, kBudget);
    EXPECT_EQ(Answered(), "a not granted");
    EXPECT_FALSE(Held()) << "the next pod may be asked about";
    ASSERT_THAT(soft_->SparedAt(clock_.Now()), SizeIs(1));
    EXPECT_EQ(soft_->SparedAt(clock_.Now())[0].why, "needs 2 healthy pods");
    clock_.Advance(minutes(1));
  }
  EXPECT_THAT(lines_, Contains(testing::AllOf(HasSubstr("spared"), HasSubstr("default/pod-a"),
                                              HasSubstr("needs 2 healthy pods")))
                          .Times(1));
  ASSERT_EQ(events_.count(), 1U);
  EXPECT_EQ(events_.events()[0].event.reason, "SoftEvictionRefused");
  EXPECT_EQ(events_.events()[0].event.object, "a");
  EXPECT_THAT(events_.events()[0].event.message, HasSubstr("needs 2 healthy pods"));
}

TEST_F(ClusterSoftEvictionsTest, APodThatIsGoneOrAnotherIsLeftOutWithoutWords) {
  Ask("a");
  cluster_.Answer(404, kNotFound);
  Ask("b");
  cluster_.Answer(409, kOtherUid);
  Ask("gone");
  EXPECT_THAT(cluster_.Waiting(), IsEmpty()) << "the pod is no longer on the node";
  EXPECT_THAT(soft_->SparedAt(clock_.Now()), SizeIs(3));
  EXPECT_FALSE(Held());
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_EQ(events_.count(), 0U);
}

TEST_F(ClusterSoftEvictionsTest, AnApiServerThatIsAwayIsSaidOnceAndSparesNobody) {
  for (int i = 0; i < 3; ++i) {
    Ask("a");
    cluster_.Answer(Fail(ErrorCode::kDeadlineExceeded, "no answer"));
    EXPECT_EQ(Answered(), "a not granted");
    EXPECT_EQ(Held(), PaceReason::kApiAway);
    EXPECT_THAT(soft_->SparedAt(clock_.Now()), IsEmpty());
    clock_.Advance(seconds(20));
    EXPECT_FALSE(Held());
  }
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("the API server does not answer")));
}

}  // namespace
}  // namespace jettison
