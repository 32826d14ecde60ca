#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "runtimes/cri/host/gzip_file.h"

namespace jettison::cri {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(RotatedName, IsTheLogsAndTheTime) {
  EXPECT_EQ(RotatedName("/logs/c/0.log", WallTime(seconds(1'767'323'045))),
            "/logs/c/0.log.20260102-030405");
  EXPECT_LT(RotatedName("0.log", WallTime(seconds(9))),
            RotatedName("0.log", WallTime(seconds(10))));
}

TEST(NextRotatedName, IsTheLastEvenWhereTheClockWasSetBack) {
  const WallTime now{seconds(1'767'323'045)};  // 2026-01-02T03:04:05Z
  EXPECT_EQ(
      NextRotatedName({"0.log", "0.log.20260102-030404.gz", "1.log.20270102-030404"}, "0.log", now),
      "0.log.20260102-030405");
  EXPECT_EQ(
      NextRotatedName({"0.log", "0.log.20260102-040405", "0.log.20260102-035959.gz"}, "0.log", now),
      "0.log.20260102-040406");
  EXPECT_EQ(NextRotatedName({"0.log.99999999-999999", "0.log.zz"}, "0.log", now),
            "0.log.20260102-030405")
      << "a name without a time does not count";
}

TEST(PlanTidying, CompressesAllButTheNewest) {
  const auto plan = PlanTidying({"0.log", "0.log.1", "0.log.2", "0.log.3"}, "0.log", 9);
  EXPECT_THAT(plan.compress, ElementsAre("0.log.1", "0.log.2"));
  EXPECT_THAT(plan.remove, IsEmpty());
}

TEST(PlanTidying, KeepsAsManyFilesAsAreAllowedTheLogIncluded) {
  const std::vector<std::string> names = {"0.log", "0.log.1.gz", "0.log.2.gz", "0.log.3",
                                          "0.log.4"};
  const auto three = PlanTidying(names, "0.log", 3);
  EXPECT_THAT(three.remove, ElementsAre("0.log.1.gz", "0.log.2.gz"));
  EXPECT_THAT(three.compress, ElementsAre("0.log.3"));
  const auto two = PlanTidying(names, "0.log", 2);
  EXPECT_THAT(two.remove, ElementsAre("0.log.1.gz", "0.log.2.gz", "0.log.3"));
  EXPECT_THAT(two.compress, IsEmpty());
  EXPECT_EQ(PlanTidying(names, "0.log", 0), two) << "the newest stays in any case";
}

TEST(PlanTidying, RemovesWhatAnInterruptedAgentLeft) {
  const auto plan = PlanTidying(
      {"0.log", "0.log.1", "0.log.1.gz", "0.log.2", "0.log.2.tmp", "0.log.3"}, "0.log", 5);
  EXPECT_THAT(plan.remove, UnorderedElementsAre("0.log.1", "0.log.2.tmp"));
  EXPECT_THAT(plan.compress, ElementsAre("0.log.2"));
}

TEST(PlanTidying, LeavesTheFilesOfOtherRunsAlone) {
  EXPECT_EQ(PlanTidying({"1.log", "1.log.1", "10.log.2", "0.logs", "x0.log.5"}, "0.log", 2),
            LogTidying{});
  EXPECT_EQ(PlanTidying({}, "0.log", 2), LogTidying{});
}

}  // namespace
}  // namespace jettison::cri
