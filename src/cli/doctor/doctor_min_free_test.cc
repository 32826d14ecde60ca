#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/doctor/doctor_checks.h"
#include "kernel/files/temporary_folder.h"

namespace jettison {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kGi = 1 << 30;

class MinFree : public testing::Test {
 protected:
  MinFree() {
    config_.eviction.thresholds = {{.signal = Signal::kMemoryAvailable,
                                    .value = Quantity::Of(100 << 20),
                                    .min_reclaim = std::nullopt}};
  }
  HostCheck CheckOf(const std::string& text) {
    const std::string path = folder_.path() + "/min_free_kbytes";
    std::ofstream(path) << text;
    return MinFreeCheck(config_, kGi, path);
  }
  const kernel::TemporaryFolder folder_;
  AgentConfig config_;
};

TEST_F(MinFree, BelowTheHardThresholdIsAsItShouldBe) {
  const HostCheck check = CheckOf("67584\n");
  EXPECT_EQ(check.status, HostStatus::kOk);
  EXPECT_THAT(check.found, HasSubstr("66 MiB"));
}

TEST_F(MinFree, AboveItTheKernelIsShortFirst) {
  const HostCheck check = CheckOf("204800\n");
  EXPECT_EQ(check.status, HostStatus::kDegraded);
  EXPECT_THAT(check.remedy, HasSubstr("above 200 MiB"));
  config_.node_cgroup = "/slice";
  EXPECT_EQ(CheckOf("204800\n").status, HostStatus::kOk) << "a slice has its own limit";
}

TEST_F(MinFree, AFileThatIsNoNumberIsNotTakenForNothing) {
  EXPECT_EQ(CheckOf("").status, HostStatus::kDegraded);
  EXPECT_EQ(CheckOf("-1\n").status, HostStatus::kDegraded);
}

}  // namespace
}  // namespace jettison
