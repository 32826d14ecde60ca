#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <future>
#include <vector>

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

}  // namespace
}  // namespace jettison
