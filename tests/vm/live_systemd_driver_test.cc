// Pods on a real containerd that asks systemd for their groups, on a machine where systemd has
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "runtimes/cri/test_bed/live_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class LiveSystemdDriver : public LiveCriRuntime {
 protected:
  void SetUp() override { Begin(CgroupDriver::kSystemd); }
  // The units that systemd has of this name, with their states.
  [[nodiscard]] static std::string UnitsNamed(const std::string& pattern) {
    const std::string command = "systemctl list-units --all --plain --no-legend '" + pattern + "'";
    std::FILE* const output = ::popen(command.c_str(), "re");
    if (output == nullptr) return "no systemctl";
    std::array<char, 4096> text{};
    const std::size_t size = std::fread(text.data(), 1, text.size(), output);
    ::pclose(output);
    return {text.data(), size};
  }
};

TEST_F(LiveSystemdDriver, PodsLiveInSlicesWithTheirLimitsAndLeaveNoUnit) {
  Pod pod = LimitedPod("u-1", {"ignore-term"});
  ASSERT_TRUE(Start(pod)) << Said();
  const std::string group(runtime().GroupOf("u-1", "main"));
  EXPECT_THAT(group, StartsWith("cri-containerd-"));
  EXPECT_THAT(group, EndsWith(".scope"));
  EXPECT_THAT(UnitsNamed("kubepods*"), HasSubstr("kubepods-burstable-podu_1.slice"));
  ExpectLimits(pod);
  ASSERT_EQ(std::system("systemctl daemon-reload"), 0);
  ExpectLimits(pod);
  runtime().StopContainer("u-1", "main", seconds(1));
  runtime().KillContainer("u-1", "main");
  const auto* exited = Await<ContainerExited>("u-1");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 137);
  EXPECT_FALSE(exited->exit.oom_killed);
  ASSERT_TRUE(Start(pod.uid, "main", 1));
  ExpectLimits(pod);
  RemoveAndLookForRemains(pod);
  EXPECT_EQ(UnitsNamed("kubepods*pod*"), "");
  EXPECT_EQ(UnitsNamed("cri-containerd-*"), "");
}

TEST_F(LiveSystemdDriver, AContainerBeyondItsMemoryLimitIsOomKilledAndSoIsTold) {
  Pod pod = TestPod("u-2", {"hog", "64"});
  pod.containers[0].resources.limits = {{"memory", *Quantity::Parse("16Mi")}};
  const auto* exited = Run(pod);
  ASSERT_NE(exited, nullptr) << Said();
  EXPECT_TRUE(exited->exit.oom_killed);
  RemoveAndLookForRemains(pod);
}

}  // namespace
}  // namespace jettison::cri
