#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "kernel/disk_usage/disk_trees.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/fs_events/filesystem_events.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// Directories are opened by their handles, which needs CAP_DAC_READ_SEARCH and a file system with
// handles.
class LiveRememberedTrees : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "opening files by their handles needs root";
    fs::create_directories(tree_ / "a/b");
    fs::create_directories(tree_ / "c");
    Write(tree_ / "a/b/file", 10000);
    Write(tree_ / "c/file", 5000);
  }
  static void Write(const fs::path& path, std::size_t bytes) {
    std::ofstream(path) << std::string(bytes, 'x');
  }
  const kernel::TemporaryFolder folder_;
  const fs::path tree_ = fs::path(folder_.path()) / "tree";
};

TEST_F(LiveRememberedTrees, ATreeWithMoreDirectoriesThanMayBeRememberedIsMeasuredAllTheSame) {
  DiskTrees few({}, {.directories = 3});
  const auto usage = few.Walk(tree_);
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->usage.inodes_used, 6U);
  EXPECT_FALSE(few.UsageOf(tree_));
  EXPECT_EQ(few.directories(), 0U);
  ASSERT_TRUE(few.Walk(tree_ / "a"));
  EXPECT_TRUE(few.UsageOf(tree_ / "a"));
}

TEST_F(LiveRememberedTrees, MoreLinkedFilesThanAreToldApartCountByShares) {
  constexpr std::uint64_t kPairs = 10;
  for (std::uint64_t i = 0; i < kPairs; ++i) {
    const std::string name = std::to_string(i);
    Write(tree_ / "a" / name, 5000);
    fs::create_hard_link(tree_ / "a" / name, tree_ / "c" / name);
  }
  DiskTrees few({}, {.directories = 100, .linked = 2});
  const auto usage = few.Walk(tree_);
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->usage.inodes_used, 6 + kPairs);
  EXPECT_EQ(usage->usage.used_bytes, DiskTrees().Walk(tree_)->usage.used_bytes);
  EXPECT_FALSE(few.UsageOf(tree_)) << "it is walked each time";
}

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
    const auto walked = trees.Walk(tree).value();
    if (!usage) continue;
    ++remembered;
    ASSERT_EQ(usage->inodes_used, walked.usage.inodes_used) << "round " << round;
    ASSERT_EQ(usage->used_bytes, walked.usage.used_bytes) << "round " << round;
  }
  EXPECT_GT(remembered, 10);
}

INSTANTIATE_TEST_SUITE_P(LiveSeeds, LiveRememberedChurn, testing::Range(1U, 4U));

}  // namespace
}  // namespace jettison
