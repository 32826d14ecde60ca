#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "kernel/disk_usage/disk_trees.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/fs_events/filesystem_events.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// Changes a tree at random; the same seed makes the same changes.
class Churn {
 public:
  Churn(fs::path top, unsigned seed) : top_(std::move(top)), random_(seed) {}

  void Step() {
    std::error_code ignored;
    switch (Below(7)) {
      case 0: fs::create_directories(AnyDirectory() / Name(), ignored); break;
      case 1: fs::rename(AnyDirectory(), AnyDirectory() / Name(), ignored); break;
      case 2:
        fs::create_hard_link(AnyDirectory() / Name(), AnyDirectory() / Name(), ignored);
        break;
      case 3: fs::remove_all(AnyDirectory() / Name(), ignored); break;
      case 4: fs::rename(AnyDirectory() / Name(), AnyDirectory() / Name(), ignored); break;
      default: std::ofstream(AnyDirectory() / Name()) << std::string(Below(30000), 'x'); break;
    }
  }

 private:
  std::size_t Below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }
  std::string Name() { return std::to_string(Below(12)); }
  fs::path AnyDirectory() {
    std::vector<fs::path> all = {top_};
    for (const auto& entry : fs::recursive_directory_iterator(top_)) {
      if (entry.is_directory() && !entry.is_symlink()) all.push_back(entry.path());
    }
    return all[Below(all.size())];
  }

  fs::path top_;
  std::mt19937 random_;
};

class LiveRememberedChurn : public testing::TestWithParam<unsigned> {};

TEST_P(LiveRememberedChurn, WhatIsRememberedIsWhatAWalkFindsWhateverHappens) {
  if (::geteuid() != 0) GTEST_SKIP() << "marking a file system needs root";
  const kernel::TemporaryFolder folder;
  auto events = FilesystemEvents::Of(folder.path());
  if (!events) GTEST_SKIP() << events.error().message;
  const std::string tree = folder.path() + "/tree";
  fs::create_directory(tree);
  Churn churn(tree, GetParam());
  DiskTrees trees({}, TreeLimits{});
  int remembered = 0;
  for (int round = 0; round < 150; ++round) {
    for (int step = 0; step < 1 + round % 8; ++step) churn.Step();
    const auto changes = events->Take();
    if (changes.lost) trees.ForgetAll();
    trees.Mark(changes.directories);
    ASSERT_TRUE(trees.Update(tree));
    const auto usage = trees.UsageOf(tree);
    const auto walked = trees.Walk(tree);
    ASSERT_TRUE(walked);
    if (!usage) continue;
    ++remembered;
    ASSERT_EQ(usage->inodes_used, walked->usage.inodes_used) << "round " << round;
    ASSERT_EQ(usage->used_bytes, walked->usage.used_bytes) << "round " << round;
  }
  EXPECT_GT(remembered, 10);
}

INSTANTIATE_TEST_SUITE_P(LiveSeeds, LiveRememberedChurn, testing::Range(1U, 4U));

}  // namespace
}  // namespace jettison
