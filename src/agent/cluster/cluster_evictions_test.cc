#include "agent/cluster/cluster_evictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/test_bed/fake_cluster.h"

namespace jettison {
namespace {

using kube::EvictionEnd;
using kube::EvictionIntent;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

constexpr auto kMemory = NodeConditionType::kMemoryPressure;

class ClusterEvictionsTest : public testing::Test {
 protected:
  void Start() {
    evictions_ = std::make_unique<ClusterEvictions>(
        ClusterAccess{.cluster = cluster_, .clock = clock_, .log = log_},
        [this](NodeConditionType) { return settled_; },
        [this](const EvictionIntent& one, EvictionEnd end) {
          over_.push_back(one.uid + " " + Name(end));
        });
  }
  static std::string Name(EvictionEnd end) {
    switch (end) {
      case EvictionEnd::kDeleted: return "deleted";
      case EvictionEnd::kGone: return "gone";
      case EvictionEnd::kGivenUp: return "given up";
    }
    return "";
  }
  [[nodiscard]] EvictionIntent Pod(const std::string& uid) const {
    return {.namespace_ = "default",
            .name = "pod-" + uid,
            .uid = uid,
            .message = "m",
            .grace_seconds = 1,
            .evicted_at = clock_.Wall(),
            .held_group = "kubepods/pod" + uid,
            .pids_limit = 100};
  }
  void Begin(const std::string& uid) { evictions_->Begin(Pod(uid), std::nullopt, clock_.Now()); }
  // Steps to the next deadline.
  void StepOn() {
    const auto next = evictions_->NextDeadline();
    ASSERT_TRUE(next);
    if (*next > clock_.Now()) clock_.Set(*next);
    evictions_->Advance(clock_.Now());
  }
  FakeClock clock_{Instant(hours(500'000))};
  kube::FakeCluster cluster_;
  bool settled_ = false;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  std::vector<std::string> over_;
  std::unique_ptr<ClusterEvictions> evictions_;
};

TEST_F(ClusterEvictionsTest, APodIsMarkedAndDeletedAtOnceAndThenOver) {
  Start();
  Begin("a");
  EXPECT_THAT(cluster_.Waiting(), ElementsAre("PATCH /api/v1/namespaces/default/pods/pod-a/status",
                                              "DELETE /api/v1/namespaces/default/pods/pod-a"));
  EXPECT_TRUE(evictions_->IsEvicted("a"));
  EXPECT_FALSE(evictions_->IsEvicted("b"));
  cluster_.AnswerAll(200);
  EXPECT_THAT(over_, ElementsAre("a deleted"));
  EXPECT_TRUE(evictions_->IsEvicted("a")) << "an older list may still contain it";
  EXPECT_EQ(evictions_->size(), 0U);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("pod=default/pod-a")));
}

// As after an API server's store was set back, which keeps the UIDs.
TEST_F(ClusterEvictionsTest, APodThatComesBackAfterItsEvictionIsToldOfAnew) {
  Start();
  Begin("a");
  cluster_.AnswerAll(200);
  EXPECT_TRUE(evictions_->IsEvicted("a")) << "an older list may still contain it";
  Begin("a");
  ASSERT_THAT(cluster_.Waiting(), SizeIs(2));
  cluster_.Answer(404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
  cluster_.Answer(404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
  EXPECT_THAT(over_, ElementsAre("a deleted", "a gone"));
  Begin("a");
  EXPECT_THAT(cluster_.Waiting(), SizeIs(2));
}

TEST_F(ClusterEvictionsTest, TheTaintGoesBeforeTheDelete) {
  Start();
  evictions_->Begin(Pod("a"), kMemory, clock_.Now());
  EXPECT_THAT(cluster_.Waiting(), ElementsAre(StartsWith("PATCH")));
  EXPECT_EQ(evictions_->NextDeadline(), clock_.Now() + kube::PodEviction::kTaintPatience);
  clock_.Advance(milliseconds(20));
  settled_ = true;
  evictions_->Advance(clock_.Now());
  EXPECT_THAT(cluster_.Waiting(), ElementsAre(StartsWith("PATCH"), StartsWith("DELETE")));
}

TEST_F(ClusterEvictionsTest, AnApiServerThatIsAwayIsToldWhenItIsBack) {
  Start();
  Begin("a");
  for (int i = 0; i < 10; ++i) {
    cluster_.Answer(Fail(ErrorCode::kUnavailable, "connection refused"));
    cluster_.Answer(Fail(ErrorCode::kUnavailable, "connection refused"));
    evictions_->Advance(clock_.Now());
    StepOn();
  }
  EXPECT_THAT(lines_, SizeIs(2)) << "one line for the mark and one for the DELETE";
  EXPECT_THAT(lines_, Contains(HasSubstr("the API server does not answer")));
  cluster_.AnswerAll(200);
  EXPECT_THAT(over_, ElementsAre("a deleted"));
}

// As a proxy answers from its cache, or for a server that is away.
TEST_F(ClusterEvictionsTest, ASuccessOfWhatIsNoApiServerIsSaidOnceAndTriedAgain) {
  Start();
  Begin("a");
  for (int i = 0; i < 5; ++i) {
    ASSERT_THAT(cluster_.Waiting(), SizeIs(2));
    cluster_.Answer(200, "<html>welcome</html>");
    cluster_.Answer(200, R"({"kind":"Pod","metadata":{"uid":"another"}})");
    EXPECT_THAT(over_, IsEmpty());
    evictions_->Advance(clock_.Now());
    const Instant before = clock_.Now();
    StepOn();
    EXPECT_GE(clock_.Now() - before, kube::CallRetry::kFirst);
  }
  EXPECT_THAT(lines_, UnorderedElementsAre(HasSubstr("<html>welcome</html>"),
                                           HasSubstr("that is not an API server's")))
      << "one line for the mark and one for the DELETE";
  const std::string pod = R"({"kind":"Pod","metadata":{"uid":"a"}})";
  cluster_.Answer(200, pod);
  cluster_.Answer(200, pod);
  EXPECT_THAT(over_, ElementsAre("a deleted"));
}

TEST_F(ClusterEvictionsTest, AnswersThatComeTwiceOrTooLateAreLeftOut) {
  Start();
  Begin("a");
  const auto asked = cluster_.waiting();
  const kube::ApiReply done{.status = 200, .body = kube::FakeCluster::kSuccess};
  for (int i = 0; i < 3; ++i) {
    for (const auto& one : asked) one.on_reply(done);
  }
  EXPECT_THAT(over_, ElementsAre("a deleted"));
  evictions_.reset();
  asked.front().on_reply(done);
}

TEST_F(ClusterEvictionsTest, ALaterLifeGoesOnWithWhatAnEarlierOneBegan) {
  Start();
  evictions_->Advance(clock_.Now());
  Begin("a");
  Begin("b");
  EXPECT_EQ(evictions_->changes().evictions, 2U) << "each has to be written to the disk at once";
  cluster_.Answer(200);
  cluster_.Answer(200);
  EXPECT_EQ(evictions_->changes().all, 1U);
  const std::vector<EvictionIntent> unfinished = evictions_->Unfinished();
  evictions_.reset();
  const std::size_t before = cluster_.count();
  clock_.Advance(minutes(5));
  Start();
  EXPECT_EQ(evictions_->Resume(unfinished, clock_.Now()), unfinished);
  EXPECT_LE(evictions_->NextDeadline(), clock_.Now());
  EXPECT_EQ(evictions_->Unfinished(), unfinished) << "an end at once loses nothing";
  evictions_->Advance(clock_.Now());
  EXPECT_TRUE(evictions_->IsEvicted("b"));
  EXPECT_EQ(evictions_->Unfinished(), unfinished);
  EXPECT_EQ(cluster_.count(), before + 2);
  cluster_.AnswerAll(200);  // the calls of the earlier agent
  cluster_.AnswerAll(200);
  EXPECT_THAT(over_, ElementsAre("a deleted", "b deleted"));
  EXPECT_THAT(evictions_->Unfinished(), IsEmpty());
}

}  // namespace
}  // namespace jettison
