// The agent's program on an ext4 of its own that is filled by what no walk through pods' files
// finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "kernel/files/testing/temporary_folder.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::IsEmpty;

class LiveDeletedFile : public testing::Test {
 protected:
  void SetUp() override {
    if (!agent_.error().empty()) GTEST_SKIP() << agent_.error();
    ASSERT_EQ(::mkdir(Root().c_str(), 0750), 0);
    const std::string image = folder_.path() + "/image";
    const std::string commands = "PATH=$PATH:/usr/sbin:/sbin; truncate -s 256M '" + image +
                                 "' && mkfs.ext4 -q -m 0 '" + image +
                                 "' && mount -t ext4 -o loop '" + image + "' '" + Root() + "'";
    if (std::system(commands.c_str()) != 0) GTEST_SKIP() << "no ext4 can be mounted here";
    mounted_ = true;
    agent_.ConfigureAgent("monitoringInterval: 1s\n");
    agent_.Configure(
        "evictionPressureTransitionPeriod: 1s\nevictionHard: {nodefs.available: 100Mi}\n");
  }
  void TearDown() override {
    if (HasFailure()) {
      for (const std::string& line : agent_.lines()) ADD_FAILURE() << line;
    }
    agent_.KillAgent();
    if (mounted_) {
      EXPECT_EQ(::umount2(Root().c_str(), MNT_DETACH), 0);
    }
  }
  [[nodiscard]] std::string Root() const { return agent_.folder() + "/root"; }
  // A pod that runs the script, with a volume on /data.
  void PutPod(const std::string& name, const std::string& script) {
    agent_.Put(name + ".yaml",
               AgentBed::Manifest(name, {"sh", "-c", script + "; exec sleep 1000"},
                                  "    volumeMounts: [{name: data, mountPath: /data}]\n") +
                   "  volumes: [{name: data, emptyDir: {}}]\n");
  }

  AgentBed agent_;
  kernel::TemporaryFolder folder_;
  bool mounted_ = false;
};

TEST_F(LiveDeletedFile, ThePodThatHoldsItOpenIsEvictedAndNoOther) {
  PutPod("innocent", "head -c 2000000 /dev/zero > /data/kept");
  PutPod("guilty",
         "exec 3> /data/deleted; rm /data/deleted; sleep 3; head -c 180000000 /dev/zero >&3");
  agent_.StartAgent({"--stop-pods"});
  ASSERT_TRUE(agent_.WaitForLine({"pod is evicted successfully"}, seconds(60)));
  EXPECT_THAT(agent_.LinesWith("pod is evicted successfully"),
              testing::Each(testing::HasSubstr("pod=default/guilty")));
  EXPECT_TRUE(agent_.WaitForLine({"NodeHasNoDiskPressure"}, seconds(60)));
  EXPECT_THAT(agent_.LinesWith("evicted successfully pod=default/innocent"), IsEmpty());
  EXPECT_EQ(agent_.StopAgent(), 0);
}

TEST_F(LiveDeletedFile, WhatLiesOutsideThePodsIsNamed) {
  PutPod("innocent", "head -c 2000000 /dev/zero > /data/kept");
  agent_.StartAgent({"--stop-pods"});
  ASSERT_TRUE(agent_.WaitForLine({"Started container main"}));
  std::ofstream(Root() + "/outside") << std::string(180'000'000, 'x');
  EXPECT_TRUE(agent_.WaitForLine({"most of the disk is not held by pods that may be evicted",
                                  "held=\"files that are no pod's own 1"},
                                 seconds(60)));
  EXPECT_EQ(agent_.StopAgent(), 0);
}

}  // namespace
}  // namespace jettison
