// The end of what runs on containerd without having come through CRI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "machine/pods/testing/foreign_tasks_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::seconds;
using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

class CriForeignTasksEnd : public ForeignTasksBed {};

TEST_F(CriForeignTasksEnd, ItsEndIsToldAndItsOwnerMayStartItAgain) {
  Theirs& theirs = Make("default", "web");
  EXPECT_THAT(ListedUids(), ElementsAre("web"));
  theirs.task.set_status(task_api::STOPPED);
  theirs.task.set_exit_status(3);
  processes().tells_wait_status = false;
  slow_to_notice_ = true;
  bed_.containerd.EndProcess(static_cast<pid_t>(theirs.task.pid()), 3 << 8);
  const auto* exited = bed_.Await<ContainerExited>("web");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 3) << "containerd knows it";
  ASSERT_NE(bed_.Await<PodRemoved>("web"), nullptr);
  EXPECT_TRUE(IsSilentOn<PodFound>());
  Start(theirs, "/default/web");
  EXPECT_NE(bed_.Await<PodFound>("web"), nullptr);
}

TEST_F(CriForeignTasksEnd, AnEvictedOneIsSignalledAndNobodyIsTold) {
  (*Make("default", "web").container.mutable_labels())["io.containerd.image.config.stop-signal"] =
      "SIGQUIT";
  EXPECT_THAT(ListedUids(), ElementsAre("web"));
  bed_.containerd.ignores_term = true;
  (void)bed_.calls->TakeCalls();
  runtime().StopContainer("web", "web", seconds(1));
  EXPECT_THAT(bed_.containerd.signals, ElementsAre(Pair(5'000'000, SIGQUIT)));
  runtime().KillContainer("web", "web");
  EXPECT_THAT(bed_.cgroups.kills(), ElementsAre("default/web"));
  ASSERT_NE(bed_.Await<ContainerExited>("web"), nullptr);
  EXPECT_TRUE(IsSilentOn<PodRemoved>()) << "whoever ends it removes it";
  runtime().RemovePod("web");
  ASSERT_NE(bed_.Await<PodRemoved>("web"), nullptr);
  EXPECT_TRUE(IsSilentOn<PodFound>());
  EXPECT_THAT(bed_.calls->TakeCalls(),
              Each(testing::Not(
                  AnyOf(HasSubstr("Stop"), HasSubstr("Remove"), HasSubstr("ContainerStatus")))))
      << "CRI takes an ID for the beginning of one of its own";
}

TEST_F(CriForeignTasksEnd, OneThatProcHidesIsFoundAndEndedByItsGroup) {
  Theirs& theirs = Make("default", "web");
  Make("moby", "web");
  processes().Hide(static_cast<pid_t>(theirs.task.pid()));
  EXPECT_THAT(ListedUids(), testing::UnorderedElementsAre("web", "moby--web"));
  EXPECT_THAT(runtime().ForeignGroupsOf("web"), ElementsAre("default/web"));
  EXPECT_TRUE(IsSilentOn<ContainerExited>());
  EXPECT_THAT(bed_.logged, ElementsAre(HasSubstr("own file systems is not measured")));
  runtime().StopContainer("web", "web", seconds(1));
  EXPECT_THAT(bed_.containerd.signals, ElementsAre(Pair(5'000'000, SIGTERM)));
  ASSERT_NE(bed_.Await<ContainerExited>("web"), nullptr);
}

TEST_F(CriForeignTasksEnd, OneThatProcHidesAndThatHasNoGroupOfItsNameIsSaidToBeLeftOut) {
  Theirs& theirs = Make("default", "web", "/default/everybody");
  processes().Hide(static_cast<pid_t>(theirs.task.pid()));
  EXPECT_THAT(ListedUids(), IsEmpty());
  EXPECT_THAT(bed_.logged, ElementsAre(HasSubstr("/proc hides its process")));
  EXPECT_THAT(runtime().NotGuarded(), ElementsAre(HasSubstr("foreign pod default/web")));
}

TEST_F(CriForeignTasksEnd, OneWhoseProcessCannotBeOpenedIsKilledByItsGroup) {
  Make("default", "web");
  processes().has_descriptors = false;
  EXPECT_THAT(ListedUids(), ElementsAre("web"));
  runtime().StopContainer("web", "web", seconds(1));
  runtime().KillContainer("web", "web");
  EXPECT_THAT(bed_.cgroups.kills(), ElementsAre("default/web"));
}

}  // namespace
}  // namespace jettison::cri
