#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "runtimes/process/runtime_fixture.h"

namespace jettison::process {

// The pod "u" of an agent that has ended. Its only process still runs.
class ProcessRuntimeUnread : public ProcessRuntimeTest {
 protected:
  void SetUp() override {
    ProcessRuntimeTest::SetUp();
    pod_ = ShellPod("u", "exec sleep 1000");
    ASSERT_TRUE(bed_.Create(pod_));
    bed_.runtime().StartContainer("u", "main", 0, 0);
    ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
    process_ = cgroups_.Processes(kGroup)->at(0);
    ASSERT_TRUE(kernel::WriteFile(bed_.paths().Volumes("u") + "/data", "dear"));
    bed_.Close();
  }
  void TearDown() override {
    ::kill(process_, SIGKILL);
    cgroups_.ProcessExited(process_);
    ProcessRuntimeTest::TearDown();
  }
  // Makes the file unreadable until it is repaired: a link is not followed.
  static void Hide(const std::string& path) {
    ASSERT_EQ(std::rename(path.c_str(), (path + ".away").c_str()), 0);
    ASSERT_EQ(::symlink("away", path.c_str()), 0);
  }
  static void Mend(const std::string& path) {
    ASSERT_EQ(std::rename((path + ".away").c_str(), path.c_str()), 0);
  }
  std::vector<RuntimePod> List() {
    bed_.Open();
    auto listed = bed_.runtime().List();
    EXPECT_TRUE(listed);
    return listed.value_or(std::vector<RuntimePod>{});
  }
  // A request for another pod of its UID is refused, and nobody waits for the disk.
  void ExpectRefusal() {
    const bool runs = !cgroups_.Processes(kGroup)->empty();
    bed_.runtime().CreatePod(kernel::PlainPlan(pod_));
    const auto* failed = bed_.Await<PodFailed>("u");
    ASSERT_NE(failed, nullptr);
    EXPECT_THAT(failed->error.message,
                testing::HasSubstr("an earlier pod of this UID is in its place"));
    EXPECT_EQ(failed->by_others, runs);
  }
  void ExpectItGoesOn() {
    EXPECT_EQ(::kill(process_, 0), 0);
    EXPECT_THAT(cgroups_.signals(), testing::IsEmpty());
    EXPECT_EQ(*kernel::ReadFile(bed_.paths().Volumes("u") + "/data"), "dear");
  }

  Pod pod_;
  pid_t process_ = 0;
};

}  // namespace jettison::process
