#include "kernel/project_quota/project_quota.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace jettison
