#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <fstream>

#include "agent/pods/remains.h"
#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_disk_thread.h"

namespace jettison {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PodLogsCollectorTest : public ::testing::Test {
 protected:
  PodLogsCollectorTest() { pods_.standing = {{"u1", PodStanding::kLives}}; }
  void MakeLogs(const std::string& name) {
    const std::string logs = folder_.path() + "/" + name + "/main";
    ASSERT_TRUE(kernel::MakeFolders(logs));
    std::ofstream(logs + "/0.log") << "text\n";
  }
  // Collects on a disk that answers.
  void Collect() { Collect(collector_); }
  void Collect(PodLogsCollector& collector) const {
    collector.Collect(pods_);
    EXPECT_EQ(disk_->Answer(), 1);
    collector.TakeFound();
  }
  [[nodiscard]] std::vector<std::string> Names() const {
    return kernel::NamesIn(folder_.path()).value();
  }
  // Waits until that many are left.
  [[nodiscard]] bool LeavesOnly(std::size_t count) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (Names().size() != count) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      (void)::poll(nullptr, 0, 1);
    }
    return true;
  }

  kernel::TemporaryFolder folder_;
  kernel::TemporaryFolder pod_folders_;
  FakeClock clock_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  PodsForGc pods_;
  std::shared_ptr<FakeDiskThread> disk_ = std::make_shared<FakeDiskThread>();
  PodLogsCollector collector_{{.folder = folder_.path(), .pods = pod_folders_.path()}, disk_, log_};
};

TEST_F(PodLogsCollectorTest, LogsOfPodsThatAreGoneGo) {
  MakeLogs("default_a_u1");
  MakeLogs("default_b_u2");
  Collect();
  EXPECT_FALSE(kernel::Exists(folder_.path() + "/default_b_u2")) << "it is renamed at once";
  EXPECT_TRUE(LeavesOnly(1));
  EXPECT_THAT(Names(), ElementsAre("default_a_u1"));
  EXPECT_THAT(lines_, Contains(HasSubstr("default_b_u2")));
  Collect();
}

TEST_F(PodLogsCollectorTest, ASlowDiskIsNotWaitedFor) {
  MakeLogs("default_b_u2");
  collector_.Collect(pods_);
  collector_.TakeFound();
  EXPECT_THAT(Names(), ElementsAre("default_b_u2"));
  collector_.Collect(pods_);
  EXPECT_EQ(disk_->Answer(), 1) << "one search at a time";
  pollfd ready{.fd = collector_.fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&ready, 1, 0), 1) << "it tells that it is over";
  collector_.TakeFound();
  EXPECT_TRUE(LeavesOnly(0));
}

TEST_F(PodLogsCollectorTest, LogsOfAPodThatIsMadeBeforeTheDiskAnswersStay) {
  MakeLogs("default_b_u2");
  collector_.Collect(pods_);
  ASSERT_TRUE(kernel::MakeFolders(pod_folders_.path() + "/u2"));
  EXPECT_EQ(disk_->Answer(), 1);
  collector_.TakeFound();
  EXPECT_THAT(Names(), ElementsAre("default_b_u2"));
}

TEST_F(PodLogsCollectorTest, WithoutAThreadForTheDiskTheCallerSearches) {
  disk_->refuses = true;
  MakeLogs("default_b_u2");
  collector_.Collect(pods_);
  EXPECT_TRUE(LeavesOnly(0));
}

TEST_F(PodLogsCollectorTest, AFolderWithAnythingButLogsStaysAndIsSaidOnce) {
  MakeLogs("my_app_logs");
  std::ofstream(folder_.path() + "/my_app_logs/main/notes.txt") << "text\n";
  Collect();
  Collect();
  EXPECT_THAT(Names(), ElementsAre("my_app_logs"));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("is no pod's logs")));
}

TEST_F(PodLogsCollectorTest, NothingGoesBeforeAllPodsAreKnown) {
  MakeLogs("default_b_u2");
  pods_.all_sources_ready = false;
  Collect();
  EXPECT_THAT(Names(), ElementsAre("default_b_u2"));
}

TEST_F(PodLogsCollectorTest, WhatAnInterruptedDeletionLeftGoesToo) {
  MakeLogs(".gone-default_b_u2");
  Collect();
  EXPECT_TRUE(LeavesOnly(0));
}

TEST_F(PodLogsCollectorTest, LogsOfAPodThatHasAFolderStay) {
  MakeLogs("default_b_u2");
  ASSERT_TRUE(kernel::MakeFolders(pod_folders_.path() + "/u2"));
  Collect();
  EXPECT_THAT(Names(), ElementsAre("default_b_u2"));
}

}  // namespace
}  // namespace jettison
