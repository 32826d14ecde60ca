// Pods on a real containerd from their creation to their removal.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <csignal>

#include "runtimes/cri/test_bed/live_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;

TEST_F(LiveCriRuntime, APodWithInitContainerAndSidecarRunsRestartsAndLeavesNothing) {
  Pod pod = TestPod("u", {"exit", "3"});
  Container init = pod.containers[0];
  init.name = "init";
  init.args = {"print", "$(WHO)"};
  init.env = {{"WHO", "init"}};
  Container sidecar = pod.containers[0];
  sidecar.name = "side";
  sidecar.args = {"pause"};
  sidecar.restart_policy = RestartPolicy::kAlways;
  pod.init_containers = {init, sidecar};
  ASSERT_TRUE(Create(pod));
  ASSERT_TRUE(StartContainer(pod, "init"));
  const auto* exited = Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 0);
  EXPECT_THAT(LogOf(pod, 0, "init"), HasSubstr(" stdout F init\n"));
  ASSERT_TRUE(StartContainer(pod, "side"));
  for (int attempt = 0; attempt < 2; ++attempt) {
    ASSERT_TRUE(StartContainer(pod, "main", attempt));
    exited = Await<ContainerExited>("u");
    ASSERT_NE(exited, nullptr);
    EXPECT_EQ(exited->attempt, attempt);
    EXPECT_EQ(exited->exit.exit_code, 3);
    EXPECT_EQ(exited->exit.signal, 0);
    EXPECT_LE(exited->exit.started, exited->exit.finished);
  }
  runtime().StopContainer("u", "side", seconds(5));
  exited = Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 0) << "it ends by itself on SIGTERM";
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, TheContainerGetsItsVolumesAndItsRights) {
  const std::string host = root() + "/host";
  ASSERT_TRUE(kernel::MakeFolders(host + "/sub"));
  ASSERT_TRUE(kernel::WriteFile(host + "/sub/file", "of the host\n"));
  ASSERT_EQ(::chmod((host + "/sub/file").c_str(), 0644), 0);
  Pod pod = TestPod("u", {"id"});
  pod.security_context = {.run_as_user = 1234, .run_as_group = 5678};
  pod.volumes = {{"data", EmptyDirSource{}},
                 {"mem", EmptyDirSource{.medium = "Memory", .size_limit = std::nullopt}},
                 {"host", HostPathSource{.path = host, .type = "Directory"}}};
  const auto with = [&](const std::string& name, std::vector<std::string> arguments) {
    Container container = pod.containers[0];
    container.name = name;
    container.args = std::move(arguments);
    container.volume_mounts = {{"data", "/data", "", false},
                               {"mem", "/mem", "", false},
                               {"data", "/deep", "a/b", false},
                               {"host", "/host", "sub", true}};
    return container;
  };
  pod.containers = {with("main", {"id"}), with("cat", {"cat", "/host/file"}),
                    with("data", {"touch", "/data/x"}), with("root", {"touch", "/x"}),
                    with("deep", {"touch", "/deep/x"})};
  pod.containers[2].security_context = {.run_as_user = 0, .read_only_root_filesystem = true};
  pod.containers[3].security_context = {.run_as_user = 0, .read_only_root_filesystem = true};
  ASSERT_TRUE(Create(pod));
  std::map<std::string, int> codes;
  for (const Container& container : pod.containers) {
    ASSERT_TRUE(StartContainer(pod, container.name));
    const auto& exited = Need<ContainerExited>("u");
    codes[exited.container] = exited.exit.exit_code;
  }
  EXPECT_THAT(LogOf(pod), HasSubstr(" F 1234 5678"));
  EXPECT_THAT(LogOf(pod, 0, "cat"), HasSubstr("of the host"));
  EXPECT_EQ(codes["data"], 0) << LogOf(pod, 0, "data");
  EXPECT_EQ(codes["root"], 1) << "its root is read-only";
  EXPECT_EQ(codes["deep"], 0) << "a folder that is made may be written to by who is not root";
  EXPECT_TRUE(kernel::Exists(root() + "/pods/u/volumes/data/x"));
  EXPECT_TRUE(kernel::Exists(root() + "/pods/u/volumes/data/a/b"));
  EXPECT_THAT(kernel::MountsBelow(root()).value(), Contains(HasSubstr("volumes/mem")));
  RemoveAndLookForRemains(pod);
  EXPECT_TRUE(kernel::Exists(host + "/sub/file")) << "the host's files are not removed";
}

TEST_F(LiveCriRuntime, AContainerBeyondItsMemoryLimitIsOomKilledAndSoIsTold) {
  Pod pod = TestPod("u", {"hog", "64"});
  pod.containers[0].resources.limits = {{"memory", *Quantity::Parse("16Mi")}};
  const auto* exited = Run(pod);
  ASSERT_NE(exited, nullptr) << Said();
  EXPECT_EQ(exited->exit.exit_code, 137);
  EXPECT_TRUE(exited->exit.oom_killed);
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, LimitsHoldAndWhatIgnoresTermIsKilled) {
  Pod pod = LimitedPod("u", {"ignore-term"});
  ASSERT_TRUE(Start(pod));
  ExpectLimits(pod);
  EXPECT_THAT(runtime().GroupOf("u", "main"), testing::SizeIs(64)) << "its ID";
  EXPECT_TRUE(kernel::Exists(runtime().DiskOf(pod).containers[0].layer));
  runtime().StopContainer("u", "main", seconds(1));
  EXPECT_EQ(Await<ContainerExited>("u", milliseconds(100)), nullptr);
  runtime().KillContainer("u", "main");
  const auto& exited = Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.exit_code, 137);
  EXPECT_EQ(exited.exit.signal, SIGKILL);
  EXPECT_FALSE(exited.exit.oom_killed);
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, AHookRunsInTheContainerBeforeItEnds) {
  Pod pod = TestPod("u");
  pod.volumes = {{"data", EmptyDirSource{}}};
  pod.containers[0].volume_mounts = {{"data", "/data", "", false}};
  pod.containers[0].pre_stop = ExecAction{{"/test-program", "touch", "/data/hook"}};
  ASSERT_TRUE(Start(pod));
  runtime().StopContainer("u", "main", seconds(10));
  const auto& exited = Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.exit_code, 0);
  EXPECT_TRUE(kernel::Exists(root() + "/pods/u/volumes/data/hook")) << Said();
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, WhatCannotBeStartedSaysWhyAndLeavesNoContainer) {
  Pod pod = TestPod("u");
  Container no_image = pod.containers[0];
  no_image.name = "no-image";
  no_image.image = "bed.local/none:1";
  Container no_program = pod.containers[0];
  no_program.name = "no-program";
  no_program.command = {"/nothing"};
  pod.containers = {no_image, no_program};
  ASSERT_TRUE(Create(pod));
  runtime().StartContainer("u", "no-image", 0, 500);
  const auto* failed = Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message,
              HasSubstr("Container image \"bed.local/none:1\" is not present with pull policy of "
                        "Never"));
  runtime().StartContainer("u", "no-program", 0, 500);
  failed = Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("no such file"));
  const auto deadline = std::chrono::steady_clock::now() + seconds(10);
  while (ContainersInContainerd() > 0 && std::chrono::steady_clock::now() < deadline) {
    events_.Collect(runtime());
  }
  EXPECT_EQ(ContainersInContainerd(), 0);
  RemoveAndLookForRemains(pod);
}

}  // namespace
}  // namespace jettison::cri
