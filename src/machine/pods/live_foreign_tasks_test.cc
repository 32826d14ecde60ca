// Containers that ctr runs on the same containerd, past CRI, labelled as nerdctl would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/files/files.h"
#include "machine/pods/testing/live_foreign_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class LiveCriForeignTasks : public LiveForeignBed {
 protected:
  [[nodiscard]] std::string GroupOf(const std::string& id) const { return "others/" + id; }
  void Run(const std::string& id, std::vector<std::string> options,
           std::vector<std::string> arguments = {"pause"}) {
    const auto run = bed_->RunStray({.id = id,
                                     .group = bed_->group() + "/" + GroupOf(id),
                                     .options = std::move(options),
                                     .arguments = std::move(arguments)});
    ASSERT_TRUE(run) << run.error().message;
  }
};

TEST_F(LiveCriForeignTasks, AreFoundMeasuredAndEndedAndStayTheirOwners) {
  ASSERT_TRUE(runtime().List());
  ASSERT_NO_FATAL_FAILURE(Run(
      "web1",
      {"--label", "nerdctl/name=web", "--label", "jettison.io/priority=5", "--annotation",
       "jettison.io/requests.memory=32Mi", "--cpu-shares", "512", "--memory-limit", "67108864"}));
  const auto* found = Await<PodFound>("web1");
  ASSERT_NE(found, nullptr) << testing::PrintToString(logged);
  const Pod pod = found->pod.pod;
  EXPECT_EQ(FullName(pod), "default/web");
  EXPECT_EQ(pod.priority, 5);
  ASSERT_EQ(pod.containers.size(), 1U);
  const ResourceRequirements& resources = pod.containers[0].resources;
  EXPECT_EQ(resources.requests.at("memory"), Quantity::Of(32 << 20));
  EXPECT_EQ(resources.requests.at("cpu").MilliValue(), 500);
  EXPECT_EQ(resources.limits.at("memory"), Quantity::Of(64 << 20));
  EXPECT_THAT(runtime().ForeignGroupsOf("web1"), ElementsAre(GroupOf("web1")));
  EXPECT_GT(cgroups_->ReadMemory(GroupOf("web1")).value().usage, 0U);
  EXPECT_TRUE(kernel::Exists(runtime().DiskOf(pod).containers.at(0).layer));

  ASSERT_TRUE(HandlesTerm(GroupOf("web1")));
  runtime().StopContainer("web1", "web", seconds(5));
  const auto* exited = Await<ContainerExited>("web1");
  ASSERT_NE(exited, nullptr) << "in its group: "
                             << testing::PrintToString(cgroups_->Processes(GroupOf("web1"))
                                                           .value_or(std::vector<pid_t>{}));
  EXPECT_EQ(exited->exit.exit_code, 0) << "it ends in peace on TERM";
  runtime().RemovePod("web1");
  ASSERT_NE(Await<PodRemoved>("web1"), nullptr);
  EXPECT_EQ(Await<PodFound>("", milliseconds(500)), nullptr);
  EXPECT_TRUE(bed_->Ctr("default", {"containers", "info", "web1"})) << "nothing of it is removed";
  ASSERT_TRUE(bed_->Ctr("default", {"tasks", "rm", "web1"}));
  ASSERT_TRUE(bed_->Ctr("default", {"tasks", "start", "--detach", "--null-io", "web1"}));
  EXPECT_NE(Await<PodFound>("web1"), nullptr) << "its owner has started it again";
}

TEST_F(LiveCriForeignTasks, AreKilledWhileContainerdHangs) {
  ASSERT_NO_FATAL_FAILURE(Run("stubborn", {}, {"ignore-term"}));
  const auto listed = runtime().List();
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U) << testing::PrintToString(logged);
  EXPECT_TRUE(listed->front().foreign);
  EXPECT_TRUE(listed->front().pod.containers.at(0).resources.requests.empty())
      << "ctr writes down the shares that everybody has";
  ASSERT_TRUE(HandlesTerm(GroupOf("stubborn")));
  bed_->Freeze();
  runtime().StopContainer("stubborn", "stubborn", seconds(1));
  runtime().KillContainer("stubborn", "stubborn");
  const auto* exited = Await<ContainerExited>("stubborn");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.signal, 9);
  EXPECT_THAT(cgroups_->Processes(GroupOf("stubborn")).value_or(std::vector<pid_t>{}), IsEmpty());
  runtime().RemovePod("stubborn");
  ASSERT_NE(Await<PodRemoved>("stubborn"), nullptr);
  bed_->Thaw();
  EXPECT_EQ(Await<PodFound>("", milliseconds(500)), nullptr);
}

}  // namespace
}  // namespace jettison::cri
