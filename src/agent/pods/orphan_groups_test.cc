#include "agent/pods/orphan_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class OrphanGroupsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* group : {"kubepods/pod1", "kubepods/burstable/pod2",
                              "kubepods/besteffort/pod3", "kubepods/other", "kubepods/pod"}) {
      ASSERT_TRUE(groups_.Create(group, {}));
    }
  }
  void Sweep(bool shared = false) {
    orphans_.Sweep([](std::string_view uid) { return uid == "3"; }, shared);
  }

  FakeCgroups groups_;
  FakeClock clock_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  OrphanGroups orphans_{groups_, CgroupDriver::kCgroupfs, log_};
};

TEST_F(OrphanGroupsTest, AnEmptyGroupOfNoPodGoesWhenItIsSeenTwice) {
  Sweep();
  EXPECT_TRUE(groups_.Exists("kubepods/pod1"));
  Sweep();
  EXPECT_FALSE(groups_.Exists("kubepods/pod1"));
  EXPECT_FALSE(groups_.Exists("kubepods/burstable/pod2"));
  EXPECT_TRUE(groups_.Exists("kubepods/besteffort/pod3")) << "it is the group of a pod";
  EXPECT_TRUE(groups_.Exists("kubepods/other"));
  EXPECT_TRUE(groups_.Exists("kubepods/pod"));
  EXPECT_THAT(lines_, SizeIs(2));
}

TEST_F(OrphanGroupsTest, BesideForeignPodsNothingGoesAndThatIsSaidOnce) {
  ASSERT_TRUE(groups_.Create("kubepods/burstable/podk/c", {}));
  ASSERT_TRUE(groups_.Join("kubepods/burstable/podk/c", 7));
  Sweep();
  Sweep();
  EXPECT_TRUE(groups_.Exists("kubepods/pod1"));
  ASSERT_THAT(lines_, SizeIs(1));
  EXPECT_THAT(lines_[0], HasSubstr("group=kubepods/burstable/podk"));
}

TEST_F(OrphanGroupsTest, WhereOthersPodsAreKnownNothingGoes) {
  Sweep(true);
  Sweep(true);
  EXPECT_TRUE(groups_.Exists("kubepods/pod1"));
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(OrphanGroupsTest, AGroupThatCannotBeReadStays) {
  groups_.FailOn(FakeCgroups::Operation::kRead, "kubepods/pod1",
                 {ErrorCode::kInternal, "Too many open files"});
  Sweep();
  Sweep();
  EXPECT_TRUE(groups_.Exists("kubepods/pod1"));
}

}  // namespace
}  // namespace jettison
