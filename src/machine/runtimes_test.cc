#include "machine/runtimes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using testing::HasSubstr;

TEST(CanRemovePods, OnlyWhereTheKernelDoesNotFollowMounts) {
  AgentConfig config;
  config.static_pod_path = "/etc/jettison/manifests";
  config.runtime = RuntimeKind::kCri;
  EXPECT_TRUE(CanRemovePods(config, {.opens_within_mount = true, .tells_mount_points = true}));
  const auto able = CanRemovePods(config, {.tells_mount_points = true});
  ASSERT_FALSE(able);
  EXPECT_THAT(able.error().message, HasSubstr("staticPodPath: this kernel has no openat2(2)"));
  config.static_pod_path.clear();
  EXPECT_TRUE(CanRemovePods(config, {})) << "it has no pods of its own";
}

}  // namespace
}  // namespace jettison
