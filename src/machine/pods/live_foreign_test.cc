// Foreign pods on the same containerd, with real processes in real groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "kernel/files/files.h"
#include "machine/pods/testing/live_foreign_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::IsEmpty;

class LiveCriForeignPods : public LiveForeignBed {
 protected:
  // Somebody else makes a pod that runs the test program; the IDs of its sandbox and container.
  void MakeTheirs(const std::vector<std::string>& arguments) {
    api::RunPodSandboxRequest make;
    auto& sandbox = *make.mutable_config();
    sandbox.mutable_metadata()->set_name("theirs");
    sandbox.mutable_metadata()->set_namespace_("default");
    sandbox.mutable_metadata()->set_uid("their-uid");
    (*sandbox.mutable_annotations())["jettison.io/priority"] = "5";
    sandbox.set_log_directory(folder_.path() + "/their-logs");
    sandbox.mutable_linux()->set_cgroup_parent("/" + bed_->group() + "/others");
    auto& options =
        *sandbox.mutable_linux()->mutable_security_context()->mutable_namespace_options();
    options.set_network(api::NODE);
    const auto made = bed_->Await<api::RunPodSandboxResponse>([&](auto answer) {
      bed_->calls().Make(kRunPodSandbox, make, seconds(30), std::move(answer));
    });
    ASSERT_TRUE(made) << made.error().message;
    sandbox_ = made->pod_sandbox_id();
    api::CreateContainerRequest create;
    create.set_pod_sandbox_id(sandbox_);
    *create.mutable_sandbox_config() = sandbox;
    auto& container = *create.mutable_config();
    container.mutable_metadata()->set_name("main");
    container.mutable_image()->set_image(LiveContainerd::kTestImage);
    for (const std::string& argument : arguments) container.add_args(argument);
    container.set_log_path("main/0.log");
    auto& linux = *container.mutable_linux();
    linux.mutable_resources()->set_memory_limit_in_bytes(64 << 20);
    linux.mutable_resources()->set_oom_score_adj(500);
    *linux.mutable_security_context()->mutable_namespace_options() = options;
    const auto created = bed_->Await<api::CreateContainerResponse>([&](auto answer) {
      bed_->calls().Make(kCreateContainer, create, seconds(30), std::move(answer));
    });
    ASSERT_TRUE(created) << created.error().message;
    container_ = created->container_id();
    api::StartContainerRequest start;
    start.set_container_id(container_);
    const auto started = bed_->Await<api::StartContainerResponse>([&](auto answer) {
      bed_->calls().Make(kStartContainer, start, seconds(30), std::move(answer));
    });
    ASSERT_TRUE(started) << started.error().message;
  }
  // The state of their sandbox; absent: it is gone.
  [[nodiscard]] std::optional<api::PodSandboxState> StateOfTheirs() {
    const auto listed = bed_->Await<api::ListPodSandboxResponse>([&](auto answer) {
      bed_->calls().Make(kListPodSandbox, api::ListPodSandboxRequest(), seconds(10),
                         std::move(answer));
    });
    if (!listed) return std::nullopt;
    for (const api::PodSandbox& sandbox : listed->items()) {
      if (sandbox.id() == sandbox_) return sandbox.state();
    }
    return std::nullopt;
  }

  std::string sandbox_;
  std::string container_;
};

TEST_F(LiveCriForeignPods, IsFoundMeasuredAndEndedAndStaysItsOwners) {
  ASSERT_TRUE(runtime().List());
  ASSERT_NO_FATAL_FAILURE(MakeTheirs({"pause"}));
  const auto* found = Await<PodFound>("their-uid");
  ASSERT_NE(found, nullptr) << testing::PrintToString(logged);
  const Pod pod = found->pod.pod;
  EXPECT_EQ(FullName(pod), "default/theirs");
  EXPECT_EQ(pod.priority, 5);
  ASSERT_EQ(pod.containers.size(), 1U);
  EXPECT_EQ(pod.containers[0].resources.limits.at("memory"), Quantity::Of(64 << 20));
  const std::string group = "others/" + container_;
  EXPECT_THAT(runtime().ForeignGroupsOf("their-uid"), testing::ElementsAre(group));
  EXPECT_GT(cgroups_->ReadMemory(group).value().usage, 0U);
  const PodDisk disk = runtime().DiskOf(pod);
  EXPECT_TRUE(kernel::Exists(disk.containers[0].layer)) << disk.containers[0].layer;
  EXPECT_EQ(disk.containers[0].logs, folder_.path() + "/their-logs/main");

  ASSERT_TRUE(HandlesTerm(group));
  runtime().StopContainer("their-uid", "main", seconds(5));
  const auto* exited = Await<ContainerExited>("their-uid");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 0) << "it ends in peace on TERM";
  runtime().RemovePod("their-uid");
  ASSERT_NE(Await<PodRemoved>("their-uid"), nullptr);
  EXPECT_EQ(StateOfTheirs(), api::SANDBOX_NOTREADY);
  EXPECT_TRUE(kernel::Exists(folder_.path() + "/their-logs/main/0.log"));
  EXPECT_EQ(Await<PodFound>("", milliseconds(500)), nullptr);
}

}  // namespace
}  // namespace jettison::cri
