#include "kernel/mounts/mount_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison::kernel {

namespace {

using testing::HasSubstr;

Pod PodWith(std::vector<VolumeMount> mounts) {
  Pod pod;
  pod.namespace_ = "ns";
  pod.name = "p";
  pod.uid = "u";
  pod.volumes = {{"data", EmptyDirSource{}},
                 {"host", HostPathSource{.path = "/srv", .type = ""}},
                 {"conf", ConfigMapSource{.name = "c"}},
                 {"cred", SecretSource{.secret_name = "s"}}};
  pod.containers.resize(1);
  pod.containers[0].name = "c";
  pod.containers[0].volume_mounts = std::move(mounts);
  return pod;
}

Result<std::vector<PlannedMount>> Plan(std::vector<VolumeMount> mounts) {
  const Pod pod = PodWith(std::move(mounts));
  return PlanMounts(Paths("/r"), pod, pod.containers[0]);
}

TEST(PlanMounts, OuterMountPointsComeFirst) {
  const auto plan = Plan({{"host", "/a/b/c", "", false},
                          {"data", "/a//./b/", "sub/dir", true},
                          {"conf", "/a-b", "", false}});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->size(), 3U);
  EXPECT_EQ((*plan)[0].target, "/a-b");
  EXPECT_EQ((*plan)[1].target, "/a/b");
  EXPECT_EQ((*plan)[1].source, "/r/pods/u/volumes/data");
  EXPECT_EQ((*plan)[1].sub_path, "sub/dir");
  EXPECT_TRUE((*plan)[1].read_only);
  EXPECT_EQ((*plan)[2].target, "/a/b/c");
  EXPECT_EQ((*plan)[2].source, "/srv");
}

TEST(PlanMounts, ConfigAndSecretsAreReadOnlyAlwaysAndKeptByTheOperator) {
  const auto plan =
      Plan({{"conf", "/c", "", false}, {"cred", "/s", "", false}, {"host", "/t", "", true}});
  ASSERT_TRUE(plan);
  EXPECT_TRUE((*plan)[0].read_only && (*plan)[0].kept_by_operator);
  EXPECT_TRUE((*plan)[1].read_only && (*plan)[1].kept_by_operator);
  EXPECT_TRUE((*plan)[2].read_only);
  EXPECT_FALSE((*plan)[2].kept_by_operator) << "as in the kubelet";
}

TEST(PlanMounts, RefusesWhatCannotBeMountedSayingWhy) {
  const struct {
    std::vector<VolumeMount> mounts;
    const char* why;
  } cases[] = {
      {{{"nope", "/a", "", false}}, "no volume of that name"},
      {{{"data", "a", "", false}}, "must be absolute"},
      {{{"data", "", "", false}}, "must be absolute"},
      {{{"data", "/", "", false}}, "over the root"},
      {{{"data", "/./", "", false}}, "over the root"},
      {{{"data", "/a/../b", "", false}}, "\"..\" is not allowed"},
      {{{"data", "/a", "x/../..", false}}, "subPath: \"..\" is not allowed"},
      {{{"data", "/a", "/etc", false}}, "subPath must be relative"},
      {{{"data", "/a\nb", "", false}}, "line feed"},
      {{{"data", "/a", "", false}, {"host", "/a/", "", false}}, "another volume is mounted there"},
  };
  for (const auto& [mounts, why] : cases) {
    const auto plan = Plan(mounts);
    ASSERT_FALSE(plan) << why;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(plan.error().message, HasSubstr(why));
    EXPECT_THAT(plan.error().message, HasSubstr("container c mounts volume"));
  }
}

}  // namespace
}  // namespace jettison::kernel
