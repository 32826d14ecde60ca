#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "runtimes/cri/pod_record.h"
#include "runtimes/cri/test_bed/fake_runtime_bed.h"

namespace jettison::cri {
namespace {

using namespace testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A runtime that does not answer when the agent starts, or that has lost its state.

class CriRecall : public CriRuntime {
 protected:
  // The agent starts again while the runtime hangs.
  std::vector<RuntimePod> OpenHanging() {
    bed_.Open();
    bed_.calls->Hang();
    EXPECT_FALSE(runtime().List());
    return runtime().Recall();
  }
  Result<std::vector<RuntimePod>> ListAfterResume() {
    bed_.calls->Resume();
    Result<std::vector<RuntimePod>> listed = Fail(ErrorCode::kUnavailable, "never asked");
    for (int i = 0; i < 3 && !listed; ++i) listed = runtime().List();
    return listed;
  }
};

TEST_F(CriRecall, WhatRunsIsKnownAndCanBeKilledWithoutTheRuntime) {
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  const auto recalled = OpenHanging();
  ASSERT_EQ(recalled.size(), 1U);
  EXPECT_EQ(recalled[0].pod, SimplePod("u"));
  ASSERT_EQ(recalled[0].containers.size(), 1U);
  EXPECT_EQ(recalled[0].containers[0].name, "main");
  EXPECT_FALSE(recalled[0].containers[0].exit);
  EXPECT_EQ(runtime().GroupOf("u", "main"), "run-2");
  runtime().StopContainer("u", "main", seconds(1));
  EXPECT_THAT(containerd().signals, Contains(Pair(1000, SIGTERM)));
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  runtime().RemovePod("u");
  EXPECT_EQ(bed_.Await<PodRemoved>("u", milliseconds(50)), nullptr);
  const auto listed = ListAfterResume().value();
  EXPECT_THAT(listed, IsEmpty()) << "the pod is ending";
  ASSERT_NE(bed_.Await<PodRemoved>("u"), nullptr);
  bed_.ExpectNothingLeft("u");
}

// The node is not guarded meanwhile.
TEST_F(CriRecall, ARuntimeThatStopsAnsweringBeforeItHasListedIsNotWaitedForLong) {
  bed_.Open();
  bed_.calls->Hang();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(runtime().List().error().message, "the container runtime has not listed its pods yet");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(2));
}

TEST_F(CriRecall, WhenTheRuntimeAnswersNothingIsLostOrDoubled) {
  const Pod pod = bed_.RunTwo();
  ASSERT_TRUE(bed_.Start(SimplePod("v")));
  // This one is not in the record, because its agent was killed before.
  ASSERT_TRUE(kernel::WriteFile(bed_.root() + "/pods/v/record", "sandbox half"));
  containerd().Exit("other", 4);
  auto recalled = OpenHanging();
  ASSERT_EQ(recalled.size(), 1U);
  ASSERT_EQ(recalled[0].containers.size(), 1U) << "how the other one ended is not known yet";
  const auto listed = ListAfterResume().value();
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed.front().pod, pod);
  const auto& records = listed.front().containers;
  ASSERT_EQ(records.size(), 2U);
  EXPECT_FALSE(records[0].exit);
  ASSERT_TRUE(records[1].exit);
  EXPECT_EQ(records[1].exit->exit_code, 4);
  EXPECT_EQ(containerd().runs.size(), 3U);
  ASSERT_TRUE(bed_.Remove("u"));
  ASSERT_TRUE(bed_.Remove("v"));
  bed_.ExpectNothingLeft("u");
}

TEST_F(CriRecall, WhatWasEndedAfterTheRuntimeWasAskedIsNotTakenOverAgain) {
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  ASSERT_EQ(OpenHanging().size(), 1U);
  bed_.calls->Resume();
  bed_.calls->HoldBack("ContainerStatus");
  EXPECT_FALSE(runtime().List()) << "not all has been answered";
  runtime().KillContainer("u", "main");
  runtime().RemovePod("u");
  ASSERT_NE(bed_.Await<PodRemoved>("u"), nullptr);
  bed_.calls->LetGo();
  const auto listed = ListAfterResume().value();
  EXPECT_THAT(listed, IsEmpty());
  bed_.ExpectNothingLeft("u");
}

// The agent is killed when the runtime has started the container, before it gets the answer.
TEST_F(CriRecall, WhatWasBeingStartedIsKnownAndCanBeKilledToo) {
  ASSERT_TRUE(bed_.Create(SimplePod("u")));
  bed_.calls->HoldBack("ContainerStatus");
  runtime().StartContainer("u", "main", 3, 0);
  ASSERT_EQ(bed_.Await<ContainerStarted>("u", milliseconds(50)), nullptr);
  ASSERT_TRUE(containerd().processes.Runs(1000));
  const auto recalled = OpenHanging();
  ASSERT_EQ(recalled.size(), 1U);
  ASSERT_EQ(recalled[0].containers.size(), 1U);
  EXPECT_EQ(recalled[0].containers[0].attempt, 3);
  EXPECT_EQ(runtime().GroupOf("u", "main"), "run-2");
  const auto listed = ListAfterResume().value();
  ASSERT_EQ(listed.size(), 1U);
  ASSERT_EQ(listed.front().containers.size(), 1U);
  EXPECT_FALSE(listed.front().containers[0].exit);
  runtime().KillContainer("u", "main");
  EXPECT_FALSE(containerd().processes.Runs(1000));
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  bed_.TakeDown("u");
}

TEST_F(CriRecall, ARuntimeThatKnowsNothingEndsNothingAndDeletesNothing) {
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  ASSERT_TRUE(bed_.Start(SimplePod("ended")));
  containerd().Exit("main", 1);
  const std::string data = bed_.root() + "/pods/ended/data";
  ASSERT_TRUE(kernel::WriteFile(data, "x"));
  containerd().boxes.clear();
  const auto runs = std::exchange(containerd().runs, {});
  bed_.Open();
  const auto listed = runtime().List().value();
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("does not know 2 pods")));
  EXPECT_TRUE(containerd().processes.Runs(1000));
  EXPECT_TRUE(kernel::Exists(data));
  ASSERT_TRUE(bed_.Start("ended", "main", 1)) << "in a new sandbox";
  runtime().KillContainer("u", "main");
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
}

// The record of a pod could not be written, on a full disk for example.
TEST_F(CriRecall, ARuntimeThatKnowsNothingEndsNothingOfAPodWithoutARecordEither) {
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  const std::string folder = bed_.root() + "/pods/u";
  const std::string data = folder + "/volumes/v/data";
  ASSERT_TRUE(kernel::MakeFolders(folder + "/volumes/v"));
  ASSERT_TRUE(kernel::WriteFile(data, "dear"));
  const auto boxes = std::exchange(containerd().boxes, {});
  const auto runs = std::exchange(containerd().runs, {});
  bed_.relist_period = milliseconds(5);
  for (const bool readable : {true, false}) {
    SCOPED_TRACE(readable);
    ASSERT_EQ(::unlink((folder + "/record").c_str()), 0);
    if (!readable) {
      bed_.cgroups.ProcessExited(1000);
      bed_.cgroups.FailOn(FakeCgroups::Operation::kRead, "kubepods/burstable/podu",
                          Error{ErrorCode::kUnavailable, "too many open files"});
    }
    bed_.Open();
    const auto listed = runtime().List();
    ASSERT_TRUE(listed) << listed.error().message;
    (void)bed_.Await<PodRemoved>("nobody", milliseconds(50));
    EXPECT_THAT(bed_.cgroups.signals(), IsEmpty());
    EXPECT_EQ(kernel::ReadFile(data).value_or(""), "dear");
    EXPECT_THAT(bed_.logged, Contains(HasSubstr("record is missing, but processes run")));
  }
  bed_.cgroups.ClearFailures();
  containerd().boxes = boxes;
  containerd().runs = runs;
  (void)bed_.Await<PodRemoved>("nobody", milliseconds(100));  // it is listed
  runtime().CreatePod(kernel::PlainPlan(SimplePod("u")));
  const auto* found = bed_.AwaitTakeover("u");
  ASSERT_NE(found, nullptr) << "the right runtime answers";
  EXPECT_EQ(kernel::ReadFile(data).value_or(""), "dear");
}

// A creation that was interrupted: processes run in the group, and no container has had a log.
TEST_F(CriRecall, APodIsNotMadeBesideACreationThatMayStillBeUnderWay) {
  ASSERT_TRUE(bed_.Create(SimplePod("u")));
  ASSERT_EQ(::unlink((bed_.root() + "/pods/u/record").c_str()), 0);
  ASSERT_TRUE(bed_.cgroups.Join("kubepods/burstable/podu", 77));
  containerd().boxes.clear();
  bed_.relist_period = milliseconds(50);
  bed_.Open();
  ASSERT_TRUE(runtime().List());
  const auto& failed = bed_.CreateFails(SimplePod("u"));
  EXPECT_THAT(failed.error.message, HasSubstr("may still be under way"));
  EXPECT_TRUE(containerd().boxes.empty());
  bed_.cgroups.ProcessExited(77);
  ASSERT_TRUE(bed_.CreateInTheEnd(SimplePod("u")));
}

PodRecord Sample() {
  return {.sandbox = {.id = "box", .attempt = 2, .host_network = true},
          .runs = {{.container = "main",
                    .attempt = 3,
                    .id = "0123abc",
                    .started = Instant(std::chrono::seconds(5)),
                    .stop_signal = 10},
                   {.container = "side", .id = "def"}},
          .written_pod = "{\"a\":\n1}"};
}

TEST(PodRecord, IsReadAsItWasWritten) {
  const auto read = ParsePodRecord(FormatPodRecord(Sample()) + "\n\n\n").value();
  EXPECT_EQ(read.sandbox.id, "box");
  EXPECT_EQ(read.sandbox.attempt, 2U);
  EXPECT_TRUE(read.sandbox.host_network);
  EXPECT_EQ(read.runs, Sample().runs);
  EXPECT_EQ(read.written_pod, Sample().written_pod);
}

TEST(PodRecord, NonsenseIsRefusedAndATextThatIsCutShortAnywhere) {
  const std::string whole = FormatPodRecord(Sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ParsePodRecord(whole.substr(0, size))) << size;
  }
  EXPECT_FALSE(ParsePodRecord(whole + "x"));
  for (const char* text :
       {"", "\n", "pod 0\n", "sandbox a\npod 0\n", "sandbox a x host\npod 0\n",
        "sandbox a 1 host\nrun c\npod 0\n", "sandbox a 1 host\nrun c 1 i 1 -5 1 0\npod 0\n",
        "sandbox a 1 host more\npod 0\n", "sandbox a 1 host\nwhat 1\npod 0\n",
        "sandbox a 1 host\npod 99999999999999999999\n", "sandbox a 1 host\npod 5\nabc"}) {
    EXPECT_FALSE(ParsePodRecord(text)) << text;
  }
}

}  // namespace
}  // namespace jettison::cri
