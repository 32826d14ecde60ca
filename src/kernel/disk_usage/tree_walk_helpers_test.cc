#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "kernel/disk_usage/tree_walk.h"
#include "kernel/files/temporary_folder.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// A tree that is large enough to be shared.
class TreeWalkHelpers : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(base_ / "linked") << 'x';
    for (int d = 0; d < 120; ++d) {
      const fs::path directory = base_ / std::to_string(d % 10) / std::to_string(d);
      fs::create_directories(directory);
      for (int f = 0; f < 50; ++f) std::ofstream(directory / std::to_string(f)) << d;
      fs::create_hard_link(base_ / "linked", directory / "link");
    }
  }

  static constexpr std::uint64_t kInodes = 1 + 1 + 10 + 120 + 120 * 50;
  const kernel::TemporaryFolder folder_;
  const fs::path base_ = folder_.path();
};

class Helpers {
 public:
  Helpers(TreeWalk& walk, int count) : walk_(walk) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([&walk] { walk.Help(); });
  }
  ~Helpers() {
    walk_.Close();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  TreeWalk& walk_;
  std::vector<std::thread> threads_;
};

TEST_F(TreeWalkHelpers, FindTheSameAsOneThreadAlone) {
  TreeWalk alone;
  const auto expected = alone.Measure(base_);
  ASSERT_TRUE(expected);
  EXPECT_EQ(expected->usage.inodes_used, kInodes);
  TreeWalk walk;
  const Helpers helpers(walk, 3);
  for (int i = 0; i < 30; ++i) {
    const auto usage = walk.Measure(base_);
    ASSERT_TRUE(usage);
    EXPECT_EQ(usage->usage.inodes_used, expected->usage.inodes_used);
    EXPECT_EQ(usage->usage.used_bytes, expected->usage.used_bytes);
    EXPECT_EQ(usage->first_error, "");
  }
}

TEST_F(TreeWalkHelpers, TakeAPartOfTheWork) {
  std::atomic<bool> helped = false;
  const auto self = std::this_thread::get_id();
  TreeWalk walk({.breathe = [&] {
    if (std::this_thread::get_id() != self) helped = true;
  }});
  const Helpers helpers(walk, 1);
  while (!helped) ASSERT_TRUE(walk.Measure(base_));
}

TEST_F(TreeWalkHelpers, AreLeftNothingWhileTheWalkIsNotShared) {
  const std::atomic<bool> shared = false;
  std::atomic<bool> helped = false;
  const auto self = std::this_thread::get_id();
  TreeWalk walk({.shared = &shared, .breathe = [&] {
                   if (std::this_thread::get_id() != self) helped = true;
                 }});
  const Helpers helpers(walk, 1);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(walk.Measure(base_));
  EXPECT_FALSE(helped);
}

TEST_F(TreeWalkHelpers, ACancelledWalkEndsForAllOfThem) {
  std::atomic<bool> cancelled = false;
  std::atomic<int> directories = 0;
  TreeWalk walk({.cancelled = &cancelled, .breathe = [&] {
                   if (++directories == 90) cancelled = true;
                 }});
  const Helpers helpers(walk, 2);
  EXPECT_EQ(walk.Measure(base_).error().code, ErrorCode::kUnavailable);
  cancelled = false;
  EXPECT_EQ(walk.Measure(base_)->usage.inodes_used, kInodes) << "the next walk is complete";
}

}  // namespace
}  // namespace jettison
