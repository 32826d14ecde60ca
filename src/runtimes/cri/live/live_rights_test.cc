// Rights of containers, as the kernel reports them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "runtimes/cri/test_bed/live_runtime_bed.h"

namespace jettison::cri {
namespace {

using testing::HasSubstr;

class LiveCriRights : public LiveCriRuntime {};

TEST_F(LiveCriRights, GroupsSystemCallsAndEscalationAreAsThePodSays) {
  Pod pod = TestPod("u");
  pod.security_context = {.run_as_user = 1234,
                          .run_as_group = 1235,
                          .run_as_non_root = true,
                          .supplemental_groups = {31, 32},
                          .fs_group = 33,
                          .seccomp_profile = SeccompProfile::kRuntimeDefault};
  pod.volumes = {{"data", EmptyDirSource{}},
                 {"mem", EmptyDirSource{.medium = "Memory", .size_limit = std::nullopt}}};
  Container container = pod.containers[0];
  container.volume_mounts = {{"data", "/data", "", false}, {"mem", "/mem", "", false}};
  container.security_context.allow_privilege_escalation = false;
  pod.containers.clear();
  const auto add = [&](const std::string& name, std::vector<std::string> arguments) {
    container.name = name;
    container.args = std::move(arguments);
    pod.containers.push_back(container);
  };
  add("id", {"id"});
  add("status", {"cat", "/proc/self/status"});
  add("touch", {"touch", "/data/x"});
  add("touch-mem", {"touch", "/mem/x"});
  ASSERT_TRUE(Create(pod));
  for (const Container& each : pod.containers) {
    ASSERT_TRUE(StartContainer(pod, each.name));
    const auto* exited = Await<ContainerExited>("u");
    ASSERT_NE(exited, nullptr);
    EXPECT_EQ(exited->exit.exit_code, 0) << each.name << ": " << LogOf(pod, 0, each.name);
  }
  const std::string identity = LogOf(pod, 0, "id");
  EXPECT_THAT(identity, HasSubstr(" F 1234 1235"));
  for (const char* group : {" 31", " 32", " 33"}) EXPECT_THAT(identity, HasSubstr(group));
  EXPECT_THAT(LogOf(pod, 0, "status"), HasSubstr("NoNewPrivs:\t1"));
  EXPECT_THAT(LogOf(pod, 0, "status"), HasSubstr("Seccomp:\t2"));
  for (const char* volume : {"data", "mem"}) {
    struct stat facts {};
    const std::string file = root() + "/pods/u/volumes/" + volume + "/x";
    ASSERT_EQ(::stat(file.c_str(), &facts), 0) << file;
    EXPECT_EQ(facts.st_uid, 1234U);
    EXPECT_EQ(facts.st_gid, 33U);
  }
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRights, WhatMustNotRunAsRootAndWouldIsNotStarted) {
  Pod pod = TestPod("u");
  pod.security_context.run_as_non_root = true;
  ASSERT_TRUE(Create(pod));
  runtime().StartContainer("u", "main", 0, 500);
  const auto* failed = Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.message,
            "container has runAsNonRoot and image will run as root "
            "(pod: \"pod-u_default(u)\", container: main)");
  EXPECT_EQ(ContainersInContainerd(), 0);
  RemoveAndLookForRemains(pod);
}

}  // namespace
}  // namespace jettison::cri
