#include "runtimes/process/runs/testing/fifo.h"
#include "runtimes/process/runtime_fixture.h"

namespace jettison::process {

using namespace kernel;
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

using ProcessRuntimeEnd = ProcessRuntimeTest;

TEST_F(ProcessRuntimeEnd, StopSendsTermAndKillEndsWhatIgnoresIt) {
  const Fifo up(folder_.path() + "/up");
  ASSERT_TRUE(bed_.Create(
      ShellPod("u", "trap '' TERM; echo up > " + up.path() + "; while :; do sleep 0.01; done")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  ASSERT_EQ(up.Await(), "up\n");
  bed_.runtime().StopContainer("u", "main", std::chrono::seconds(1));
  EXPECT_EQ(cgroups_.signals().back().signal, SIGTERM);
  bed_.runtime().KillContainer("u", "main");
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 137);
  EXPECT_EQ(exited->exit.signal, SIGKILL);
}

// Signals to very many processes are sent beside the caller.
class SlowToSignal : public FakeCgroups {
 public:
  [[nodiscard]] bool IsSignalling(std::string_view path) override {
    return still_signals && path == kGroup + "/main";
  }
  bool still_signals = true;
};

TEST(ProcessRuntimeMassKill, TheEndIsToldWhenNoKillCanReachTheNextRun) {
  SlowToSignal cgroups;
  const TemporaryFolder folder;
  RuntimeBed bed(cgroups, folder.path());
  bed.Open();
  ASSERT_TRUE(bed.Create(ShellPod("u", "true")));
  bed.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed.Await<ContainerStarted>("u"), nullptr);
  EXPECT_EQ(bed.Await<ContainerExited>("u", std::chrono::milliseconds(50)), nullptr);
  cgroups.still_signals = false;
  EXPECT_NE(bed.Await<ContainerExited>("u"), nullptr);
  EXPECT_TRUE(bed.Remove("u"));
}

TEST_F(ProcessRuntimeEnd, ThePreStopHookRunsBeforeTerm) {
  const std::string mark = folder_.path() + "/hook";
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.containers[0].pre_stop = ExecAction{{"/bin/sh", "-c", "echo $HOSTNAME > " + mark}};
  ASSERT_TRUE(bed_.Create(pod));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.runtime().StopContainer("u", "main", std::chrono::seconds(30));
  EXPECT_THAT(cgroups_.signals(), IsEmpty());
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.signal, SIGTERM);
  EXPECT_EQ(*ReadFile(mark), "pod-u\n");
}

TEST_F(ProcessRuntimeEnd, AHookThatTakesTooLongDoesNotHoldTermUp) {
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.containers[0].pre_stop = ExecAction{{"sleep", "1000"}};
  ASSERT_TRUE(bed_.Create(pod));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.runtime().StopContainer("u", "main", std::chrono::hours(1));
  bed_.runtime().StopContainer("u", "main", std::chrono::milliseconds(20));
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.signal, SIGTERM);
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("did not end within the grace period")));
}

TEST_F(ProcessRuntimeEnd, AnOomKillIsToldWithTheExit) {
  ASSERT_TRUE(bed_.Create(ShellPod("u", "exec sleep 1000")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  cgroups_.SetOomKills(kGroup + "/main", 1);
  bed_.runtime().KillContainer("u", "main");
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_TRUE(exited->exit.oom_killed);
}

// A disk that answers with an error, or a shortage of descriptors, may be over in a moment.
TEST_F(ProcessRuntimeEnd, AnExitThatCannotBeReadForAMomentIsReadAgain) {
  const Fifo up(folder_.path() + "/up");
  ASSERT_TRUE(bed_.Create(
      ShellPod("u", "trap 'exit 3' TERM; echo up > " + up.path() + "; sleep 1000 & wait")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  ASSERT_EQ(up.Await(), "up\n");
  {
    const kernel::FewDescriptors none(0);
    for (int i = 0; i < 200 && bed_.logged.empty(); ++i) {
      bed_.runtime().StopContainer("u", "main", std::chrono::hours(1));
      EXPECT_EQ(bed_.Await<ContainerExited>("u", std::chrono::milliseconds(50)), nullptr);
    }
  }
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("cannot be read")));
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 3);
}

}  // namespace
}  // namespace jettison::process
