// Evictions for lack of disk space, on full disks.
#include <fcntl.h>
#include <gmock/gmock.h>

#include <cerrno>
#include <string>

#include "agent/figures/live_disks.h"
#include "agent/tell/eviction_history.h"
#include "core/explain/test_bed.h"
#include "ports/fakes/fake_clock.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using testing::ElementsAre;

class LiveFullDisk : public LiveDisks {
 protected:
  LiveFullDisk() {
    bed_.AddPod({.name = "leaker", .memory_mi = 300});
    bed_.SetAvailable(66);
  }

  enum class Take : bool { kBytes, kInodesToo };
  // Takes all free space, to the last byte.
  static void Fill(const std::string& folder, Take take) {
    const FileDescriptor file(
        ::open((folder + "/hog").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    const std::string block(4096, 'x');
    while (::write(file.get(), block.data(), block.size()) > 0) {
    }
    ASSERT_EQ(errno, ENOSPC);
    while (::write(file.get(), "x", 1) > 0) {
    }
    for (int i = 0; take == Take::kInodesToo; ++i) {
      const std::string name = folder + "/inode" + std::to_string(i);
      if (!FileDescriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600))) break;
    }
  }
  static std::string HogIn(const std::string& folder) { return folder + "/hog"; }

  std::shared_ptr<const RecordedPass> Pass() {
    bed_.now += std::chrono::seconds(10);
    return std::make_shared<const RecordedPass>(bed_.Pass());
  }
  static std::vector<std::string> Ids(const EvictionHistory& history) {
    std::vector<std::string> ids;
    const auto evictions = history.Evictions();
    for (const auto& kept : *evictions) ids.push_back(kept->id);
    return ids;
  }
  // Four evictions on a full disk, then a new agent; then one more than is reserved.
  void EvictOnFullDisk(const std::string& disk, Take take) {
    const EvictionHistorySettings settings{.folder = disk + "/evictions"};
    { const EvictionHistory first(settings, log_); }  // reserves space
    Fill(disk, take);
    {
      EvictionHistory history(settings, log_);
      for (int i = 0; i < 4; ++i) history.Add(Pass());
    }
    {
      EvictionHistory again(settings, log_);
      EXPECT_THAT(Ids(again), ElementsAre("ev-1", "ev-2", "ev-3", "ev-4")) << disk;
      EXPECT_THAT(again.Evictions()->back()->text, testing::HasSubstr("default/leaker"));
      again.Add(Pass());
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (again.Evictions()->size() < 5 && std::chrono::steady_clock::now() < deadline) {
        ::usleep(1000);
      }
      EXPECT_EQ(::unlink(HogIn(disk).c_str()), 0);
      again.Retry();
    }
    EXPECT_EQ(EvictionHistory(settings, log_).Evictions()->back()->id, "ev-5")
        << "written when there was room";
  }

  FakeClock clock_{Instant(std::chrono::hours(1))};
  Log log_{LogFormat::kText, clock_, [](std::string_view) {}};
  ExplainTestBed bed_;
};

TEST_F(LiveFullDisk, EvictionsAreKeptOnATmpfsWithoutRoom) {
  WithDisks([this] { EvictOnFullDisk(Path("node"), Take::kBytes); });
}

TEST_F(LiveFullDisk, EvictionsAreKeptOnAnExt4WithoutRoom) {
  WithDisks([this] {
    if (!MountImage("ext4", "full", 16)) GTEST_SKIP() << "this machine has no ext4";
    EvictOnFullDisk(Path("full"), Take::kInodesToo);
  });
}

}  // namespace
}  // namespace jettison
