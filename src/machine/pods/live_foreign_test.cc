// Foreign pods on the same containerd, with real processes in real groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/processes/processes.h"
#include "runtimes/cri/test_bed/live_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

// An agent's runtime that looks after foreign pods, on a containerd of its own.
class LiveForeignBed : public LiveCriRuntime {
 protected:
  LiveForeignBed() { adopt_foreign_ = true; }

  // Whether a process of the group handles or ignores TERM, which is waited for: process 1 of a
  // container does not get a signal that it has no handler for.
  [[nodiscard]] bool HandlesTerm(const std::string& group) {
    for (int i = 0; i < 2000; ++i) {
      for (const pid_t pid : cgroups_->Processes(group).value_or(std::vector<pid_t>{})) {
        const std::string folder = "/proc/" + std::to_string(pid);
        const auto status = kernel::ReadFile(folder + "/status");
        const std::size_t ignored_at = status ? status->find("SigIgn:") : std::string::npos;
        const std::size_t at = status ? status->find("SigCgt:") : std::string::npos;
        // What runs before the program handles every signal, and does nothing with it.
        const bool is_program = !IsPrepared(kernel::ReadFile(folder + "/stat").value_or(""));
        if (ignored_at == std::string::npos || at == std::string::npos || !is_program) continue;
        const auto handled = std::stoull(status->substr(at + 7), nullptr, 16) |
                             std::stoull(status->substr(ignored_at + 7), nullptr, 16);
        if ((handled >> (SIGTERM - 1) & 1U) != 0) return true;
      }
      ::usleep(10'000);
    }
    return false;
  }
};

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
