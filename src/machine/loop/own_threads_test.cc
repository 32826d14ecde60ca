#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <future>
#include <vector>

#include "kernel/files/live_silent_filesystem.h"
#include "machine/loop/job_queue.h"

namespace jettison {
namespace {

// How a thread is scheduled beside others: its "nice".
int Niceness() {
  return ::getpriority(PRIO_PROCESS, 0);
}

constexpr int kNiceOfWhatGivesWay = 10;  // whatever that of the test itself is

TEST(OwnDiskThread, LongWorkGivesWayAndHoldsUpNothingElseWhenItHangs) {
  std::promise<void> answer;
  const std::shared_future<void> answered = answer.get_future().share();
  std::vector<std::promise<int>> long_ones(4);
  std::promise<int> usual;
  std::promise<int> call;
  std::promise<int> at_path;
  OwnDiskThread disk;
  for (auto& done : long_ones) {
    ASSERT_TRUE(disk.DoLong([&] {
      answered.wait();
      done.set_value(Niceness());
    }));
  }
  ASSERT_TRUE(disk.Do([&] { usual.set_value(Niceness()); }));
  ASSERT_TRUE(disk.DoCall([&] { call.set_value(Niceness()); }));
  const auto work = std::make_shared<DiskThread::Work>([&] { at_path.set_value(Niceness()); });
  disk.DoAt("/proc/self", work);
  for (auto* each : {&usual, &call, &at_path}) EXPECT_EQ(each->get_future().get(), Niceness());
  answer.set_value();
  for (auto& done : long_ones) EXPECT_GE(done.get_future().get(), kNiceOfWhatGivesWay);
}

constexpr std::chrono::seconds kPatience{20};

class LiveSlowPathThreads : public LiveSilentFilesystem {
 protected:
  // Work that is done some time, or never.
  struct Errand {
    std::shared_ptr<std::promise<void>> promise = std::make_shared<std::promise<void>>();
    std::future<void> done = promise->get_future();
    std::shared_ptr<DiskThread::Work> work;
  };
  [[nodiscard]] static Errand LookAt(OwnDiskThread& threads, const std::string& path) {
    Errand errand;
    errand.work = std::make_shared<DiskThread::Work>([promise = errand.promise, path] {
      struct stat facts {};
      (void)::stat(path.c_str(), &facts);
      promise->set_value();
    });
    threads.DoAt(path, errand.work);
    return errand;
  }
  [[nodiscard]] static bool IsDone(const Errand& errand, std::chrono::seconds patience) {
    return errand.done.wait_for(patience) == std::future_status::ready;
  }
};

TEST_F(LiveSlowPathThreads, KnowWhatMayHangWithoutAskingIt) {
  bool silent = false;
  bool link = false;
  bool local = true;
  ASSERT_EQ(::symlink(folder_.c_str(), (base_ + "/link").c_str()), 0);
  ASSERT_TRUE(ReturnsWhileItIsSilent([&] {
    const OwnDiskThread threads;
    silent = threads.MayHang(folder_ + "/a/b");
    link = threads.MayHang(base_ + "/link/a");
    local = threads.MayHang("/proc/self");
  }));
  EXPECT_TRUE(silent);
  EXPECT_TRUE(link);
  EXPECT_FALSE(local);
}

TEST_F(LiveSlowPathThreads, OneFileSystemKeepsOneThreadAndOthersGoOn) {
  OwnDiskThread threads;
  std::vector<Errand> silent;
  for (std::size_t i = 0; i < 4; ++i) {
    silent.push_back(LookAt(threads, folder_ + "/" + std::to_string(i)));
  }
  const Errand other = LookAt(threads, "/proc/self");
  EXPECT_TRUE(IsDone(other, kPatience));
  for (const Errand& each : silent) EXPECT_FALSE(IsDone(each, std::chrono::seconds(0)));
  silent[1].work.reset();  // nobody wants it any more
  fuse_.Close();           // it answers at last
  for (std::size_t i = 0; i < silent.size(); ++i) {
    if (i == 1) continue;
    EXPECT_TRUE(IsDone(silent[i], kPatience)) << i;
  }
  EXPECT_FALSE(IsDone(silent[1], std::chrono::seconds(0)));
}

TEST_F(LiveSlowPathThreads, AnAgentThatEndsDoesNotWaitForThem) {
  Errand silent;
  ASSERT_TRUE(ReturnsWhileItIsSilent([&] {
    OwnDiskThread threads;
    silent = LookAt(threads, folder_ + "/x");
  }));
}

}  // namespace
}  // namespace jettison
