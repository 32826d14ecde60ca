// Pods whose files lie on a file system that never answers.
#include <dirent.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>

#include "agent/disk/disk_walk_thread.h"
#include "kernel/files/live_silent_filesystem.h"
#include "machine/loop/steady_clock.h"
#include "ports/fakes/fake_runtime.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;

class RuntimeWithFolders : public FakeRuntime {
 public:
  std::map<std::string, std::string> folders;  // the folder of each pod's volume, by pod UID
  std::map<std::string, std::string> silent;   // the folder of its second volume
  [[nodiscard]] PodDisk DiskOf(const Pod& pod) const override {
    PodDisk disk{.empty_dirs = {{.name = "v", .path = folders.at(pod.uid)}}};
    const auto beside = silent.find(pod.uid);
    if (beside != silent.end()) disk.empty_dirs.push_back({.name = "w", .path = beside->second});
    return disk;
  }
};

std::size_t CountThreads() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    count += entry.is_directory() ? 1 : 0;
  }
  return count;
}

class LiveSilentWalk : public LiveSilentFilesystem {
 protected:
  void AddPod(const std::string& uid, const std::string& folder) {
    runtime_.folders[uid] = folder;
    pods_.emplace_back().pod.uid = uid;
  }
  [[nodiscard]] std::string Ordinary(const std::string& name) const {
    const std::string folder = base_ + "/" + name;
    std::filesystem::create_directory(folder);
    std::ofstream(folder + "/file") << name;
    return folder;
  }
  // Starts a walk and does what the loop does until it is over.
  DiskUse Walk(DiskWalkThread& walks) {
    std::vector<const PodFacts*> pods;
    for (const PodFacts& facts : pods_) pods.push_back(&facts);
    walks.Start(pods, false);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < until) {
      walks.Advance(clock_->Now());
      pollfd ready = {.fd = walks.fd(), .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, 10) != 1) continue;
      if (auto result = walks.TakeResult()) return *std::move(result);
    }
    ADD_FAILURE() << "the walk has not ended";
    return {};
  }

  std::shared_ptr<SteadyClock> clock_ = std::make_shared<SteadyClock>();
  RuntimeWithFolders runtime_;
  std::vector<PodFacts> pods_;
  const WalkPatience short_{.ordinary = milliseconds(200), .urgent = milliseconds(100)};
};

TEST_F(LiveSilentWalk, APodThatDoesNotAnswerKeepsNobodyElseFromBeingMeasured) {
  AddPod("a", Ordinary("a"));
  AddPod("dead", folder_);
  AddPod("z", Ordinary("z"));
  {
    DiskWalkThread walks(runtime_, clock_, {}, short_);
    const std::size_t threads = CountThreads();
    for (int walk = 0; walk < 5; ++walk) {
      walks.SetUrgent(walk % 2 == 0);
      const DiskUse use = Walk(walks);
      EXPECT_EQ(use.size(), 2U) << walk;
      EXPECT_EQ(use.at("a").total.inodes_used, 2U);
      EXPECT_EQ(use.at("z").total.inodes_used, 2U);
    }
    EXPECT_EQ(CountThreads(), threads) << "one thread waits for the pod, and no other";
    const auto notes = walks.TakeNotes();
    ASSERT_EQ(notes.size(), 1U) << "it is logged once";
    EXPECT_NE(notes[0].find("dead"), std::string::npos);
    const auto begin = std::chrono::steady_clock::now();
    fuse_.Close();  // it answers at last, with an error
    Unmount();
    while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(10)) {
      if (Walk(walks).contains("dead")) break;
    }
    EXPECT_TRUE(walks.LastKnown().contains("dead")) << "its thread has come back";
  }
}

TEST_F(LiveSilentWalk, WhatWasFoundOfAPodBeforeItWentSilentCounts) {
  AddPod("a", Ordinary("a"));
  const std::string many = base_ + "/many";
  std::filesystem::create_directory(many);
  for (int file = 0; file < 40; ++file) std::ofstream(many + "/" + std::to_string(file)) << "x";
  AddPod("half", many);
  runtime_.silent["half"] = folder_;
  DiskWalkThread walks(runtime_, clock_, {}, short_);
  const DiskUse use = Walk(walks);
  ASSERT_TRUE(use.contains("half"));
  EXPECT_EQ(use.at("half").total.inodes_used, 41U);
  EXPECT_TRUE(use.at("half").partial);
  EXPECT_FALSE(use.at("a").partial);
}

TEST_F(LiveSilentWalk, WhenAllThreadsAreWithSuchPodsTheWalkAndTheAgentEndWithWhatIsKnown) {
  for (std::size_t i = 0; i <= DiskWalkThread::kThreads; ++i) {
    AddPod("dead" + std::to_string(i), folder_);
  }
  auto walks = std::make_unique<DiskWalkThread>(runtime_, clock_, DeletedFileSources{}, short_);
  EXPECT_TRUE(Walk(*walks).empty());
  EXPECT_TRUE(Walk(*walks).empty());
  EXPECT_EQ(std::ranges::count_if(
                walks->TakeNotes(),
                [](const std::string& note) { return note.starts_with("no thread is left"); }),
            1)
      << "it is logged once";
  const auto begin = std::chrono::steady_clock::now();
  walks.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace jettison
