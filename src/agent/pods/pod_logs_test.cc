#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "agent/pods/remains.h"
#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using ::testing::UnorderedElementsAre;

class PodLogsTest : public ::testing::Test {
 protected:
  PodLogsTest() {
    pods_.standing = {{"u1", PodStanding::kLives}};
    for (const char* name : {"default_a_u1", "default_b_u2", "default_c_u3", "my_app_logs"}) {
      const std::string logs = folder_.path() + "/" + name + "/main";
      EXPECT_TRUE(kernel::MakeFolders(logs));
      std::ofstream(logs + "/0.log") << "text\n";
    }
    std::ofstream(folder_.path() + "/my_app_logs/main/notes.txt") << "text\n";
    EXPECT_TRUE(kernel::MakeFolders(pod_folders_.path() + "/u3"));
  }
  std::vector<std::string> Left() {
    RemoveLogsOfGonePods({.folder = folder_.path(), .pods = pod_folders_.path()}, pods_);
    return kernel::NamesIn(folder_.path()).value();
  }

  kernel::TemporaryFolder folder_;
  kernel::TemporaryFolder pod_folders_;
  PodsForGc pods_;
};

TEST_F(PodLogsTest, OnlyLogsGoAndOnlyOfPodsThatAreGoneAndHaveNoFolder) {
  EXPECT_THAT(Left(), UnorderedElementsAre("default_a_u1", "default_c_u3", "my_app_logs"));
}

TEST_F(PodLogsTest, NothingGoesBeforeAllPodsAreKnown) {
  pods_.all_sources_ready = false;
  EXPECT_EQ(Left().size(), 4U);
}

}  // namespace
}  // namespace jettison
