#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "machine/cgroups/host_cgroups.h"
#include "machine/log/log.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// As kind configures it.
constexpr const char* kPlain = "kubelet/kubepods";
constexpr const char* kSlices = "kubelet.slice/kubelet-kubepods.slice";

class DriverInUseTest : public testing::Test {
 protected:
  DriverInUseTest() {
    config_.source = SourceKind::kKubernetes;
    config_.cgroup_root = "/kubelet";
  }
  void Make(const std::string& group, pid_t process = 0) {
    ASSERT_TRUE(groups_.Create(group, {}));
    if (process != 0) {
      ASSERT_TRUE(groups_.Join(group, process));
    }
  }
  [[nodiscard]] Result<CgroupDriver> Seen() { return DriverInUse(config_, groups_, log_); }

  AgentConfig config_;
  FakeCgroups groups_;
  FakeClock clock_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(DriverInUseTest, TheGroupThatIsThereTellsItWhateverTheConfigurationSays) {
  Make(kSlices);
  for (const CgroupDriver configured : {CgroupDriver::kCgroupfs, CgroupDriver::kSystemd}) {
    config_.cgroup_driver = configured;
    EXPECT_EQ(Seen(), CgroupDriver::kSystemd);
  }
  EXPECT_THAT(lines_[0],
              AllOf(HasSubstr("group=/kubelet.slice/kubelet-kubepods.slice cgroupDriver=systemd "
                              "configured=cgroupfs"),
                    HasSubstr("/kubelet/kubepods is not there")));
}

TEST_F(DriverInUseTest, OfTwoItIsTheOneThatHasProcesses) {
  Make(kSlices);
  Make(std::string(kPlain) + "/burstable/podu", 7);
  config_.cgroup_driver = CgroupDriver::kSystemd;
  EXPECT_EQ(Seen(), CgroupDriver::kCgroupfs);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("is there, too, but has no processes")));
}

TEST_F(DriverInUseTest, BothOrNeitherIsAFaultThatNamesThem) {
  config_.node_cgroup = "/node";
  const auto none = Seen();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(none.error().message,
              HasSubstr("neither /node/kubelet/kubepods nor "
                        "/node/kubelet.slice/kubelet-kubepods.slice; see that the kubelet runs"));
  Make(kSlices);
  Make(kPlain);
  const auto idle = Seen();
  ASSERT_FALSE(idle);
  EXPECT_EQ(idle.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(idle.error().message, HasSubstr("and neither has processes"));
  Make(std::string(kSlices) + "/a", 7);
  Make(std::string(kPlain) + "/b", 8);
  const auto busy = Seen();
  ASSERT_FALSE(busy);
  EXPECT_THAT(busy.error().message, HasSubstr("and each has processes"));
}

TEST_F(DriverInUseTest, AGroupThatCannotBeReadIsNoReasonToTakeTheOther) {
  Make(kSlices, 8);
  Make(kPlain, 7);
  groups_.FailOn(FakeCgroups::Operation::kRead, kPlain,
                 {ErrorCode::kInternal, "Input/output error"});
  const auto unread = Seen();
  ASSERT_FALSE(unread);
  EXPECT_THAT(unread.error().message, HasSubstr("/kubelet/kubepods: Input/output error"));
}

TEST_F(DriverInUseTest, AnAgentWithPodsOfItsOwnUsesWhatIsConfigured) {
  config_.source = SourceKind::kManifests;
  config_.cgroup_driver = CgroupDriver::kSystemd;
  EXPECT_EQ(WithDriverInUse(config_, log_)->cgroup_driver, CgroupDriver::kSystemd);
  EXPECT_THAT(lines_, testing::IsEmpty());
}

}  // namespace
}  // namespace jettison
