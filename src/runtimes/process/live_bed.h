#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "kernel/cgroup_v1/cgroup_v1.h"
#include "kernel/mounts/mount_info.h"
#include "pods/tree_removal.h"
#include "runtimes/process/runtime_bed.h"

namespace jettison::process {

// The process runtime over real control groups: a node of its own, taken down at the end with
// everything in it.
class LiveBed : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "control groups and mounts need root";
    auto host = CgroupV1::Open({});
    if (!host) GTEST_SKIP() << host.error().message;
    host_ = std::move(*host);
    const auto made = host_->Create(node_, {});
    ASSERT_TRUE(made) << made.error().message;
    auto node = CgroupV1::Open({.node_cgroup = node_});
    ASSERT_TRUE(node) << node.error().message;
    cgroups_ = std::move(*node);
    // Shims of agents that were killed are reaped here.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    bed_ = std::make_unique<RuntimeBed>(*cgroups_, folder_.path());
  }
  void TearDown() override {
    if (!host_) return;
    bed_.reset();
    (void)host_->Kill(node_);
    const auto removed = host_->Remove(node_);
    EXPECT_TRUE(removed) << removed.error().message;
    (void)RemoveTrees({folder_.path()});
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

  // Ends every pod in the orderly way and checks that nothing of them is left.
  void RemoveAllAndLookForRemains() {
    for (const auto& [uid, pod] : bed_->known) ASSERT_TRUE(bed_->Remove(uid));
    ExpectNothingLeft();
  }
  void ExpectNothingLeft() {
    const auto uids = kernel::NamesIn(bed_->paths().Pods());
    for (const std::string& uid : *uids) {
      EXPECT_TRUE(bed_->AwaitGone(bed_->paths().Pod(uid)));
    }
    EXPECT_THAT(*kernel::NamesIn(bed_->paths().Pods()), testing::IsEmpty());
    EXPECT_THAT(*kernel::NamesIn(bed_->paths().Logs()), testing::IsEmpty());
    EXPECT_THAT(Mounts(), testing::IsEmpty());
    for (const char* group : {"kubepods/burstable", "kubepods/besteffort"}) {
      if (const auto pods = cgroups_->Children(group)) {
        EXPECT_THAT(*pods, testing::IsEmpty());
      }
    }
    if (const auto processes = cgroups_->Processes("kubepods")) {
      EXPECT_THAT(*processes, testing::IsEmpty());
    }
  }
  // What is mounted below the root, the last first.
  [[nodiscard]] std::vector<std::string> Mounts() const {
    return kernel::MountsBelow(folder_.path()).value();
  }

  kernel::TemporaryFolder folder_;
  const std::string node_ = "jettison-process-test-" + std::to_string(::getpid());
  std::unique_ptr<CgroupV1> host_;
  std::unique_ptr<CgroupV1> cgroups_;
  std::unique_ptr<RuntimeBed> bed_;
};

}  // namespace jettison::process
