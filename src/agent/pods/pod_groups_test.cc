#include "agent/pods/pod_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using testing::AllOf;
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

class PodPlacesTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(groups_.Create("kubepods/besteffort/poda-b", {})); }
  // Puts a process with that id into that group.
  void Put(int pid, const std::string& group) {
    const std::string folder = proc_.path() + "/" + std::to_string(pid);
    ASSERT_TRUE(kernel::MakeFolders(folder));
    ASSERT_TRUE(kernel::WriteFile(folder + "/cgroup",
                                  "7:memory:" + group + "\n1:name=systemd:/x\n0::/y\n"));
  }
  static RuntimePod PodThat(bool runs) {
    RuntimePod pod;
    pod.pod.name = "p";
    pod.pod.uid = "a-b";
    pod.pod.containers.emplace_back().name = "c";
    pod.containers.push_back({.pod_uid = "a-b", .name = "c", .attempt = 0, .created = {}});
    if (!runs) pod.containers[0].exit.emplace();
    return pod;
  }
  [[nodiscard]] Result<void> Check(const RuntimePod& pod) {
    return CheckPlaces({pod}, {.groups = groups_, .prefix = "/node", .proc = proc_.path()});
  }

  FakeCgroups groups_;
  kernel::TemporaryFolder proc_;
};

TEST_F(PodPlacesTest, APodThatRunsInAnotherGroupIsRefused) {
  for (const char* group : {"/old/kubepods/besteffort/poda-b/c", "/kubepods/poda-b",
                            "/node/kubepods.slice/kubepods-besteffort.slice/"
                            "kubepods-besteffort-poda_b.slice/c.scope"}) {
    Put(7, group);
    const auto checked = Check(PodThat(true));
    ASSERT_FALSE(checked) << group;
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(checked.error().message,
                AllOf(HasSubstr("pod default/p runs in the cgroup " + std::string(group)),
                      HasSubstr("now name /node/kubepods/besteffort/poda-b for it.")));
  }
  ASSERT_TRUE(groups_.Join("kubepods/besteffort/poda-b", 7));
  EXPECT_TRUE(Check(PodThat(true))) << "where it belongs something of it runs";
}

TEST_F(PodPlacesTest, WhatHasEndedOrIsSomebodyElsesOrCannotBeReadIsWell) {
  EXPECT_TRUE(Check(PodThat(true))) << "it has only just ended";
  // A zombie still names its group, until its parent has reaped it.
  for (const char* group : {"/node/kubepods/besteffort/poda-b/c", "/old/kubepods/poda-bc/c"}) {
    Put(7, group);
    EXPECT_TRUE(Check(PodThat(true))) << group;
  }
  Put(7, "/old/kubepods/besteffort/poda-b/c");
  EXPECT_TRUE(Check(PodThat(false)));
  RuntimePod foreign = PodThat(true);
  foreign.foreign = true;
  EXPECT_TRUE(Check(foreign));
  groups_.FailOn(FakeCgroups::Operation::kRead, "kubepods/besteffort/poda-b",
                 {ErrorCode::kInternal, "Too many open files"});
  EXPECT_TRUE(Check(PodThat(true)));
}

}  // namespace
}  // namespace jettison
