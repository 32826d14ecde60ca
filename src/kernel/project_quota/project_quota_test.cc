#include "kernel/project_quota/project_quota.h"

#include <gtest/gtest.h>

#include <set>

namespace jettison {
namespace {

// The kernels of most machines have no quota; tests/vm boots one that has.
TEST(ProjectQuota, AFileSystemWithoutProjectsSaysSo) {
  EXPECT_EQ(ProjectOf("/proc").error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(ReadProjectUsage("/proc", kFirstProject).error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(CountsProjects("/proc").value());
  EXPECT_EQ(CountsProjects("/nonexistent").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ProjectOf("/nonexistent").error().code, ErrorCode::kNotFound);
}

TEST(FindFreeProject, ContinuesBehindTheLastOneAndComesRound) {
  std::set<ProjectId> used;
  int asked = 0;
  const auto is_free = [&](ProjectId project) -> Result<bool> {
    ++asked;
    return !used.contains(project);
  };
  ProjectId next = kFirstProject;
  for (int i = 0; i < 1000; ++i) {
    const auto found = FindFreeProject(next, is_free);
    ASSERT_TRUE(found);
    EXPECT_TRUE(used.insert(*found).second);
    next = *found + 1;
  }
  EXPECT_EQ(asked, 1000) << "one question for each volume, however many there are";
  used.erase(kFirstProject + 7);
  EXPECT_EQ(FindFreeProject(kFirstProject + 99'999, is_free).value(), kFirstProject + 99'999);
  used.insert(kFirstProject + 99'999);
  EXPECT_EQ(FindFreeProject(kFirstProject + 99'999, is_free).value(), kFirstProject + 7);
  EXPECT_EQ(FindFreeProject(kFirstProject + 100'000, is_free).value(), kFirstProject + 7);
}

TEST(FindFreeProject, FailsWhereNoneIsFreeOrNothingIsKnown) {
  const auto none = FindFreeProject(kFirstProject, [](ProjectId) { return false; });
  EXPECT_EQ(none.error().code, ErrorCode::kUnavailable);
  const auto unknown = FindFreeProject(
      kFirstProject, [](ProjectId) -> Result<bool> { return Fail(ErrorCode::kInternal, "EIO"); });
  EXPECT_EQ(unknown.error().message, "EIO");
}

}  // namespace
}  // namespace jettison
