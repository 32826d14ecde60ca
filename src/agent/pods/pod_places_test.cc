#include "agent/pods/pod_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"

namespace jettison {
namespace {

using testing::AllOf;
using testing::HasSubstr;

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

TEST_F(PodPlacesTest, APodThatRunsWhereItBelongsIsWell) {
  ASSERT_TRUE(groups_.Join("kubepods/besteffort/poda-b", 7));
  Put(7, "/node/kubepods/besteffort/poda-b/c");
  EXPECT_TRUE(Check(PodThat(true)));
}

TEST_F(PodPlacesTest, APodThatRunsInAnotherGroupIsRefused) {
  for (const char* group : {"/old/kubepods/besteffort/poda-b/c", "/kubepods/poda-b",
                            "/node/kubepods.slice/kubepods-besteffort.slice/"
                            "kubepods-besteffort-poda_b.slice/c.scope"}) {
    Put(7, group);
    const auto checked = Check(PodThat(true));
    ASSERT_FALSE(checked) << group;
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(checked.error().message,
                AllOf(HasSubstr("pod default/p (1 in all)"),
                      HasSubstr("now name /node/kubepods/besteffort/poda-b for it.")));
  }
  Put(7, "/old/kubepods/besteffort/poda-b/c");
  EXPECT_THAT(Check(PodThat(true)).error().message,
              HasSubstr("cgroup /old/kubepods/besteffort/poda-b,"));
}

TEST_F(PodPlacesTest, APodThatHasEndedIsNowhere) {
  EXPECT_TRUE(Check(PodThat(true))) << "only just";
  Put(7, "/old/kubepods/besteffort/poda-b/c");
  EXPECT_TRUE(Check(PodThat(false)));
}

// A zombie still names its group, until its parent has reaped it, but the group no longer lists it.
TEST_F(PodPlacesTest, AProcessThatHasJustEndedWhereItBelongsIsWell) {
  Put(7, "/node/kubepods/besteffort/poda-b/c");
  EXPECT_TRUE(Check(PodThat(true)));
}

TEST_F(PodPlacesTest, APodOfSomebodyElseIsWhereItIs) {
  Put(7, "/old/kubepods/besteffort/poda-b/c");
  RuntimePod pod = PodThat(true);
  pod.foreign = true;
  EXPECT_TRUE(Check(pod));
}

TEST_F(PodPlacesTest, AGroupThatCannotBeReadProvesNothing) {
  Put(7, "/old/kubepods/besteffort/poda-b/c");
  groups_.FailOn(FakeCgroups::Operation::kRead, "kubepods/besteffort/poda-b",
                 {ErrorCode::kInternal, "Too many open files"});
  EXPECT_TRUE(Check(PodThat(true)));
}

}  // namespace
}  // namespace jettison
