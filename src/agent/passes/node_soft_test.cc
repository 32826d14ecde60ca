#include <deque>

#include "agent/dependencies/dependencies.h"
#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr Duration kAnswer = milliseconds(6);

// Answers when the test says so, and holds and spares the pods that the test names.
class FakeSoftEvictions : public SoftEvictions {
 public:
  std::optional<SoftHold> HoldAt(Instant now) const override {
    return hold && now < hold->until ? hold : std::nullopt;
  }
  std::vector<SparedPod> SparedAt(Instant now) const override {
    std::vector<SparedPod> pods;
    for (const SparedPod& pod : spared) {
      if (now < pod.until) pods.push_back(pod);
    }
    return pods;
  }
  void Ask(const EvictionOrder& order, Instant now) override {
    asked.push_back(order);
    hold = SoftHold{.reason = PaceReason::kAsked, .until = now + kAnswerWithin};
  }
  std::optional<SoftAnswered> TakeAnswer() override {
    if (answers.empty()) return std::nullopt;
    SoftAnswered answer = answers.front();
    answers.pop_front();
    return answer;
  }
  void Grant() {
    hold.reset();
    spared.push_back({.uid = asked.back().pod_uid, .why = "it goes", .until = Instant::max()});
    answers.push_back({.order = asked.back(), .granted = true});
  }
  void Refuse(Instant until) {
    hold.reset();
    spared.push_back({.uid = asked.back().pod_uid, .why = "needs 2", .until = until});
    answers.push_back({.order = asked.back(), .granted = false});
  }
  void Wait(PaceReason reason, Instant until) {
    hold = SoftHold{.reason = reason, .until = until};
    answers.push_back({.order = asked.back(), .granted = false});
  }
  [[nodiscard]] std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const EvictionOrder& order : asked) names.push_back(order.pod_uid);
    return names;
  }

  std::vector<EvictionOrder> asked;
  std::optional<SoftHold> hold;
  std::vector<SparedPod> spared;
  std::deque<SoftAnswered> answers;
};

// Soft memory at 200Mi for 60 s asks.
class NodeSoftTest : public NodeTestBed {
 protected:
  NodeSoftTest() {
    soft_ = &fake_;
    record_passes_ = true;
    figures_.memory = {{"hog", 200 * kMi}, {"idle", 100 * kMi}};
  }
  // The soft threshold is crossed and its grace period is over.
  void CrossSoft() {
    Start();
    figures_.SetAvailable(150);
    FullPass();
    Pass(seconds(60));
    clock_.Advance(milliseconds(1));
    Measure();
  }
  [[nodiscard]] std::shared_ptr<const CycleReport> Last() const {
    return node_->MakeSnapshot().last_report;
  }
  [[nodiscard]] std::size_t CountEvents(std::string_view reason) const {
    std::size_t count = 0;
    for (const LoggedEvent& logged : events_.events()) {
      if (logged.event.reason == reason) ++count;
    }
    return count;
  }

  FakeSoftEvictions fake_;
};

TEST_F(NodeSoftTest, ASoftThresholdAsksAndSignalsNobody) {
  CrossSoft();
  ASSERT_THAT(fake_.Names(), ElementsAre("hog"));
  EXPECT_EQ(fake_.asked[0].grace_period_seconds, 20);
  EXPECT_TRUE(fake_.asked[0].soft);
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  ASSERT_TRUE(Last()->pause);
  EXPECT_EQ(Last()->pause->reason, PaceReason::kAsked);
  EXPECT_TRUE(Last()->evictions.empty());
  EXPECT_EQ(CountEvents("Evicted"), 0U);
  FullPass();
  EXPECT_THAT(fake_.Names(), ElementsAre("hog", "hog")) << "the answer was not back within 5 s";
}

TEST_F(NodeSoftTest, APodThatIsGrantedIsEvictedForEverybodyAndSignalledByNobody) {
  CrossSoft();
  lines_.clear();
  fake_.Grant();
  Pass(kAnswer);
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_THAT(lines_, Contains(HasSubstr("pod is evicted successfully")));
  EXPECT_EQ(CountEvents("Evicted"), 1U);
  ASSERT_EQ(Last()->evictions.size(), 1U);
  EXPECT_EQ(Last()->evictions[0].outcome, EvictOutcome::kEnding);
  EXPECT_FALSE(Last()->pause);
  EXPECT_TRUE(node_->MakeSnapshot().waiting_for_cleanup);
  FullPass();
  Pass(minutes(1));
  Measure();
  EXPECT_THAT(fake_.Names(), Not(Contains("hog").Times(2))) << "it is being evicted already";
}

TEST_F(NodeSoftTest, APodWhoseEvictionIsLeftToTheAgentIsEndedHere) {
  CrossSoft();
  fake_.Grant();
  fake_.answers.back().order.left_to_agent = true;
  Pass(kAnswer);
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop hog/c 20s"));
  EXPECT_EQ(CountEvents("Evicted"), 1U);
}

TEST_F(NodeSoftTest, AnAnswerThatComesAfterAReloadRefersToTheThresholdsInForce) {
  CrossSoft();
  node_->SetEviction({.thresholds = {Of(Signal::kPidAvailable, 1), Of(Signal::kNodeFsAvailable, 1),
                                     Of(Signal::kMemoryAvailable, 200, 60)},
                      .pressure_transition_period = seconds(30),
                      .max_pod_grace_period_seconds = 20});
  const auto met = Last()->evaluation.met;
  ASSERT_TRUE(met.test(2));
  fake_.Grant();
  Pass(kAnswer);
  ASSERT_EQ(Last()->evictions.size(), 1U);
  EXPECT_EQ(Last()->evaluation.met, met);
}

TEST_F(NodeSoftTest, APodThatHasEndedBeforeTheAnswerIsThereCountsAllTheSame) {
  CrossSoft();
  pods_.SetWanted(WantedPods({PodNamed("idle")}), clock_.Now());
  Deliver();
  ASSERT_FALSE(pods_.IsOnNode("hog"));
  fake_.Grant();
  Pass(kAnswer);
  EXPECT_EQ(CountEvents("Evicted"), 1U);
  fake_.answers.push_back({.order = fake_.asked[0], .granted = true});
  Pass(kAnswer);
  EXPECT_EQ(CountEvents("Evicted"), 1U) << "it is never evicted twice";
}

TEST_F(NodeSoftTest, WhenItIsRefusedTheNextOneIsAskedAboutAtOnceAndTheFirstAgainWhenThatIsOver) {
  CrossSoft();
  fake_.Refuse(clock_.Now() + minutes(1));
  Pass(kAnswer);
  EXPECT_THAT(fake_.Names(), ElementsAre("hog", "idle"));
  ASSERT_EQ(Last()->spared.size(), 1U);
  EXPECT_EQ(Last()->spared[0].uid, "hog");
  const Snapshot snapshot = node_->MakeSnapshot();
  EXPECT_EQ(snapshot.pods[0].protection, Protection::kSpared);
  EXPECT_EQ(snapshot.pods[1].protection, Protection::kNone);
  fake_.Refuse(clock_.Now() + minutes(5));
  Pass(kAnswer);
  EXPECT_THAT(lines_, Contains(HasSubstr("unable to evict any pods")));
  FullPass();
  EXPECT_THAT(fake_.Names(), ElementsAre("hog", "idle"));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(minutes(1));
  Measure();
  EXPECT_THAT(fake_.Names(), ElementsAre("hog", "idle", "hog"));
}

class NodeAnswerTest : public NodeSoftTest, public testing::WithParamInterface<const char*> {};

TEST_P(NodeAnswerTest, AHardThresholdEndsAPodWhateverTheAnswerIs) {
  CrossSoft();
  if (GetParam() == std::string_view("refused")) fake_.Refuse(clock_.Now() + minutes(1));
  if (GetParam() == std::string_view("granted")) fake_.Grant();
  Pass(kAnswer);
  figures_.SetAvailable(90);
  Pass(seconds(1));
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop hog/c 1s"));
}

INSTANTIATE_TEST_SUITE_P(Asked, NodeAnswerTest, testing::Values("none yet", "refused", "granted"));

TEST_F(NodeSoftTest, AnAnswerThatComesAfterTheHardEvictionDoesNotCount) {
  CrossSoft();
  figures_.SetAvailable(90);
  clock_.Advance(kAnswer);
  Crossed();
  EXPECT_EQ(CountEvents("Evicted"), 1U);
  fake_.Grant();
  Pass(kAnswer);
  EXPECT_EQ(CountEvents("Evicted"), 1U);
}

TEST_F(NodeSoftTest, AnApiServerThatIsAwayPutsTheSoftEvictionOffAndNoHardOneOfAnotherSignal) {
  thresholds_.push_back(Of(Signal::kPidAvailable, 0));
  thresholds_.back().value = Quantity::Of(100);
  figures_.node.rlimit = RlimitStats{.max_pid = 1000, .running = 100};
  figures_.tasks = {{"hog", 10}, {"idle", 500}};
  CrossSoft();
  fake_.Wait(PaceReason::kApiAway, clock_.Now() + minutes(2));
  Pass(kAnswer);
  ASSERT_TRUE(Last()->pause);
  EXPECT_EQ(Last()->pause->reason, PaceReason::kApiAway);
  FullPass();
  EXPECT_THAT(fake_.Names(), ElementsAre("hog")) << "the next question is not due yet";
  figures_.node.rlimit->running = 950;
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), Contains(HasSubstr("idle")));
}

TEST_F(NodeSoftTest, AfterACoolDownTheNextOneIsAskedAboutByItself) {
  fake_.hold = SoftHold{.reason = PaceReason::kCoolDown, .until = clock_.Now() + seconds(90)};
  CrossSoft();
  EXPECT_THAT(fake_.Names(), IsEmpty());
  EXPECT_THAT(lines_, Contains(HasSubstr("reason=cool-down")));
  Pass(seconds(20));
  Measure();
  EXPECT_THAT(fake_.Names(), ElementsAre("hog"));
}

}  // namespace
}  // namespace jettison
