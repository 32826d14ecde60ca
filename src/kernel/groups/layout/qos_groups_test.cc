#include "kernel/groups/layout/qos_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ports/fakes/fake_cgroups.h"

namespace jettison::kernel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class QosGroupsTest : public testing::Test {
 protected:
  static PodPlan Plan(const std::string& uid, QosClass qos, std::int64_t milli_cpu) {
    Pod pod;
    pod.uid = uid;
    return {.pod = std::make_shared<const Pod>(pod), .qos = qos, .milli_cpu = milli_cpu};
  }
  void Add(const std::vector<PodPlan>& plans) {
    std::vector<const PodPlan*> pods;
    for (const PodPlan& plan : plans) pods.push_back(&plan);
    groups_.Add(pods);
  }
  [[nodiscard]] std::uint64_t Shares(const char* group) {
    return cgroups_.LimitsOf(group).cpu_shares.value_or(0);
  }

  FakeCgroups cgroups_;
  std::vector<std::string> failures_;
  QosGroups groups_{cgroups_, CgroupDriver::kCgroupfs,
                    [this](const Error& error) { failures_.push_back(error.message); }};
};

TEST_F(QosGroupsTest, BurstablePodsShareWhatTheyAskForTogetherAndBestEffortPodsGetTheRest) {
  Add({});
  EXPECT_THAT(groups_.limits(), IsEmpty());
  Add({Plan("one", QosClass::kBurstable, 250), Plan("g", QosClass::kGuaranteed, 4000)});
  Add({Plan("other", QosClass::kBurstable, 750)});
  EXPECT_EQ(Shares("kubepods/burstable"), 1024U);
  EXPECT_EQ(Shares("kubepods/besteffort"), 2U);
  ASSERT_EQ(groups_.limits().size(), 2U);
  EXPECT_EQ(groups_.limits()[0].group, "kubepods/burstable");
  EXPECT_EQ(groups_.limits()[0].limits.cpu_shares, 1024U);
}

TEST_F(QosGroupsTest, APodThatGoesCountsUntilItIsGoneOrAnotherComes) {
  Add({Plan("one", QosClass::kBurstable, 500), Plan("other", QosClass::kBurstable, 500)});
  groups_.Leave("one");
  EXPECT_EQ(Shares("kubepods/burstable"), 1024U);
  Add({Plan("new", QosClass::kBurstable, 500)});
  EXPECT_EQ(Shares("kubepods/burstable"), 1024U);
  groups_.Remove("one");
  groups_.Remove("other");
  EXPECT_EQ(Shares("kubepods/burstable"), 512U);
}

TEST_F(QosGroupsTest, TheFirstFailureIsToldAndTheOtherGroupIsSet) {
  cgroups_.FailOn(FakeCgroups::Operation::kCreate, "kubepods/burstable",
                  {ErrorCode::kUnavailable, "no space"});
  Add({Plan("u", QosClass::kBurstable, 500)});
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("no space")));
  EXPECT_EQ(Shares("kubepods/besteffort"), 2U);
}

}  // namespace
}  // namespace jettison::kernel
