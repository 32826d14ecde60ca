#include <gtest/gtest.h>

#include "machine/cgroups/host_cgroups.h"

namespace jettison {
namespace {

AgentConfig ConfigOf(SourceKind source, CgroupDriver driver) {
  AgentConfig config;
  config.source = source;
  config.cgroup_driver = driver;
  config.cgroup_root = "/a/b-c";
  config.node_cgroup = "/node";
  return config;
}

TEST(PodsRoot, OnlyAKubeletsSlicesAreNamedByTheirRoot) {
  const AgentConfig slices = ConfigOf(SourceKind::kKubernetes, CgroupDriver::kSystemd);
  EXPECT_EQ(PodsRootOf(slices), "/node/a.slice/a-b_c.slice");
  EXPECT_EQ(GroupNamesOf(slices).slices_begin, "a-b_c-");
  for (const AgentConfig& plain : {ConfigOf(SourceKind::kKubernetes, CgroupDriver::kCgroupfs),
                                   ConfigOf(SourceKind::kManifests, CgroupDriver::kCgroupfs),
                                   ConfigOf(SourceKind::kManifests, CgroupDriver::kSystemd)}) {
    EXPECT_EQ(PodsRootOf(plain), "/node/a/b-c");
    EXPECT_EQ(GroupNamesOf(plain).slices_begin, "");
  }
}

TEST(PodsRoot, WithoutARootItIsTheNode) {
  AgentConfig config;
  config.source = SourceKind::kKubernetes;
  config.cgroup_driver = CgroupDriver::kSystemd;
  EXPECT_EQ(PodsRootOf(config), "");
  EXPECT_EQ(GroupNamesOf(config).slices_begin, "");
}

}  // namespace
}  // namespace jettison
