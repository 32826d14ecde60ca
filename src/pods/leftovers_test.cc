#include "pods/leftovers.h"

#include <gtest/gtest.h>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

class LeftoversTest : public testing::Test {
 protected:
  kernel::TemporaryFolder folder_;
  FakeCgroups cgroups_;
  FakeClock clock_;
  HostProcesses processes_;
  std::unique_ptr<kernel::Readiness> readiness_ = *kernel::Readiness::Create();
  PodDependencies dependencies_{{.processes = processes_,
                                 .cgroups = cgroups_,
                                 .group_end = cgroups_,
                                 .clock = clock_,
                                 .readiness = *readiness_},
                                kernel::Paths(folder_.path()),
                                CgroupDriver::kCgroupfs,
                                std::chrono::seconds(10),
                                kernel::DiskWork(*readiness_, nullptr)};
};

TEST_F(LeftoversTest, WhatCanBeDeletedDoesNotWaitForWhatCannot) {
  Leftovers leftovers(dependencies_, nullptr);
  leftovers.Delete({"/proc/self/status"});
  leftovers.Advance();
  EXPECT_TRUE(leftovers.IsDeleting()) << "it is tried again";
  const std::string tree = folder_.path() + "/tree";
  ASSERT_TRUE(kernel::MakeFolders(tree + "/folder"));
  leftovers.Delete({tree});
  leftovers.Advance();
  EXPECT_FALSE(kernel::Exists(tree));
}

}  // namespace
}  // namespace jettison
