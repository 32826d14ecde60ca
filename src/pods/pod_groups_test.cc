#include "pods/pod_groups.h"

#include <gtest/gtest.h>

#include "ports/fakes/fake_cgroups.h"

namespace jettison {
namespace {

TEST(RemoveEmptyGroups, TakesThoseInWhichNothingLivesAndNoOther) {
  FakeCgroups cgroups;
  ASSERT_TRUE(cgroups.Create("kubepods/poda/c", {}));
  ASSERT_TRUE(cgroups.Create("kubepods/podb/c", {}));
  ASSERT_TRUE(cgroups.Join("kubepods/podb/c", 42));
  EXPECT_TRUE(
      RemoveEmptyGroups(cgroups, cgroups, {"kubepods/poda", "kubepods/podb", "kubepods/none"}));
  EXPECT_FALSE(cgroups.Exists("kubepods/poda"));
  EXPECT_TRUE(cgroups.Exists("kubepods/podb/c"));
}

}  // namespace
}  // namespace jettison
