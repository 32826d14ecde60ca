#include "agent/cluster/shadow_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/decide/decide.h"
#include "core/model/threshold.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kLowOnMemory = "The node was low on resource: memory. ";

kube::ApiPod RunningPod(const std::string& name, const std::string& phase = "Running") {
  kube::ApiPod pod;
  pod.head = {.namespace_ = "shop", .name = name, .uid = "uid-" + name, .resource_version = "1"};
  pod.phase = phase;
  return pod;
}
kube::ApiPod Evicted(const std::string& name, std::optional<Instant> since = {}) {
  kube::ApiPod pod = RunningPod(name, "Failed");
  pod.reason = "Evicted";
  pod.message = kLowOnMemory;
  if (since) {
    pod.conditions.push_back({.type = "DisruptionTarget",
                              .status = "True",
                              .reason = "TerminationByKubelet",
                              .message = kLowOnMemory,
                              .since = since});
  }
  return pod;
}

class ShadowWatchTest : public testing::Test {
 protected:
  // A pass that evicts this pod for memory.
  [[nodiscard]] RecordedPass PassOn(const std::string& name) const {
    PodFacts facts;
    facts.pod.uid = "uid-" + name;
    facts.pod.namespace_ = "shop";
    facts.pod.name = name;
    RecordedPass pass;
    pass.pods.push_back(std::make_shared<const PodFacts>(std::move(facts)));
    pass.report.at = clock_.Now();
    pass.report.acting_for = Threshold{.signal = Signal::kMemoryAvailable};
    pass.report.evictions.push_back(
        {.order = {.pod_uid = "uid-" + name, .message = "low"}, .outcome = EvictOutcome::kDryRun});
    return pass;
  }
  void Report(const kube::ApiPod& pod) { watch_.TakePod(pod, /*has_listed=*/true); }
  [[nodiscard]] ShadowView View() const { return *watch_.View(clock_.Now()); }
  [[nodiscard]] std::uint64_t CountOf(ShadowVerdict verdict) const {
    return View().counters.Of(verdict);
  }

  FakeClock clock_{Instant(std::chrono::hours(500'000))};
  ShadowWatch watch_{clock_};
};

TEST_F(ShadowWatchTest, APodThatBothEvictIsAnAgreementWithTheLeadOfTheFirstPass) {
  watch_.TakePass(PassOn("cart"));
  clock_.Advance(seconds(2));
  watch_.TakePass(PassOn("cart"));
  clock_.Advance(seconds(5));
  Report(Evicted("cart"));
  ASSERT_THAT(View().pairings, SizeIs(1));
  const ShadowPairing pairing = View().pairings[0];
  EXPECT_EQ(pairing.verdict, ShadowVerdict::kAgreed);
  EXPECT_EQ(pairing.lead, seconds(7));
  EXPECT_EQ(pairing.same_reason, true);
  EXPECT_EQ(pairing.ours->signal, Signal::kMemoryAvailable);
  EXPECT_EQ(pairing.ours->pod.name, "cart");
  EXPECT_EQ(pairing.ours->notes, 2);
  EXPECT_EQ(pairing.kubelets->message, kLowOnMemory);
}

TEST_F(ShadowWatchTest, AClockThatIsSetBetweenTheTwoChangesNoLead) {
  for (const auto step : {std::chrono::hours(-3), std::chrono::hours(6)}) {
    const std::string name = step > step.zero() ? "cart" : "web";
    watch_.TakePass(PassOn(name));
    clock_.StepWall(step);
    clock_.Advance(seconds(5));
    Report(Evicted(name, Instant(clock_.Wall().time_since_epoch())));
  }
  EXPECT_EQ(CountOf(ShadowVerdict::kAgreed), 2U);
  for (const auto& pairing : View().pairings) EXPECT_EQ(pairing.lead, seconds(5));
}

TEST_F(ShadowWatchTest, AnEvictedPodWhoseProgramsExitWith0IsKnownByItsCondition) {
  const auto succeeded = [&](const std::string& name, const std::string& message) {
    kube::ApiPod pod = RunningPod(name, "Succeeded");
    pod.conditions = Evicted(name, Instant(clock_.Wall().time_since_epoch())).conditions;
    pod.conditions[0].message = message;
    return pod;
  };
  for (const char* name : {"cart", "web"}) watch_.TakePass(PassOn(name));
  Report(succeeded("cart", kLowOnMemory));
  Report(succeeded("web", "Pod was terminated in response to imminent node shutdown."));
  EXPECT_EQ(CountOf(ShadowVerdict::kAgreed), 1U);
  EXPECT_EQ(View().pairings[0].kubelets->message, kLowOnMemory);
  EXPECT_EQ(CountOf(ShadowVerdict::kOursAlone), 1U);
}

TEST_F(ShadowWatchTest, WhatTheKubeletBeganBeforeTheAgentIsNotCompared) {
  Report(Evicted("cart", Instant(clock_.Wall().time_since_epoch()) - milliseconds(1)));
  EXPECT_THAT(View().kubelets_open, IsEmpty());
  Report(Evicted("web", Instant(clock_.Wall().time_since_epoch())));
  EXPECT_THAT(View().kubelets_open, SizeIs(1));
}

TEST_F(ShadowWatchTest, WhatTheFirstListHasAsEvictedIsNeverCompared) {
  watch_.TakePod(Evicted("old"), /*has_listed=*/false);
  watch_.TakePod(RunningPod("cart"), /*has_listed=*/false);
  Report(Evicted("old"));  // for example, its labels changed
  EXPECT_THAT(View().kubelets_open, IsEmpty());
  Report(Evicted("cart"));
  Report(Evicted("cart"));
  EXPECT_THAT(View().kubelets_open, SizeIs(1));
}

TEST_F(ShadowWatchTest, APodThatEndsOtherwiseOrGoesOnWasOursAlone) {
  EXPECT_EQ(watch_.NextDeadline(), std::nullopt);
  for (const char* name : {"job", "web", "stays"}) watch_.TakePass(PassOn(name));
  Report(RunningPod("job", "Succeeded"));
  watch_.TakeGone(RunningPod("web").head);
  EXPECT_EQ(CountOf(ShadowVerdict::kOursAlone), 2U);
  ASSERT_TRUE(watch_.NextDeadline());
  watch_.Advance(*watch_.NextDeadline());
  EXPECT_EQ(CountOf(ShadowVerdict::kOursAlone), 3U) << "the kubelet had its time";
  EXPECT_THAT(View().open, IsEmpty());
}

TEST_F(ShadowWatchTest, OnlyWhatADryRunWouldHaveDoneIsNoted) {
  RecordedPass failed = PassOn("a");
  failed.report.evictions[0].outcome.reset();
  RecordedPass done = PassOn("b");
  done.report.evictions[0].outcome = EvictOutcome::kEnding;
  RecordedPass unknown = PassOn("c");
  unknown.pods.clear();
  for (const RecordedPass& pass : {failed, done, unknown}) watch_.TakePass(pass);
  EXPECT_THAT(View().open, IsEmpty());
  RecordedPass limit = PassOn("d");
  limit.report.evictions[0].storage_limit = StorageLimitKind::kEmptyDir;
  watch_.TakePass(limit);
  ASSERT_THAT(View().open, SizeIs(1));
  EXPECT_EQ(View().open[0].signal, std::nullopt);
}

}  // namespace
}  // namespace jettison
