#include "pods/pod_removal.h"

#include <gtest/gtest.h>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

class Removals : public testing::Test {
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

TEST_F(Removals, WhatCanBeDeletedDoesNotWaitForWhatCannot) {
  TreeRemovals removals(dependencies_);
  removals.Add({"/proc/self/status"});
  removals.Continue();
  EXPECT_TRUE(removals.busy()) << "it is tried again";
  const std::string tree = folder_.path() + "/tree";
  ASSERT_TRUE(kernel::MakeFolders(tree + "/folder"));
  removals.Add({tree});
  removals.Continue();
  EXPECT_FALSE(kernel::Exists(tree));
}

}  // namespace
}  // namespace jettison
