#include "ports/inheriting_condition.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

namespace jettison {
namespace {

// As the kernel counts: below zero for a real-time thread.
int PriorityOfThisThread() {
  std::ifstream stat("/proc/thread-self/stat");
  std::string text;
  std::getline(stat, text);
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string field;
  constexpr int kPriority = 16;  // behind the name
  for (int i = 0; i < kPriority; ++i) fields >> field;
  return std::stoi(field);
}

TEST(LiveInheritingMutex, WhoHoldsItIsAsUrgentAsWhoWaitsForIt) {
  InheritingMutex mutex;
  std::unique_lock lock(mutex);
  ASSERT_GE(PriorityOfThisThread(), 0);
  std::atomic<bool> is_refused = false;
  std::thread waiter([&] {
    const sched_param urgent{.sched_priority = 5};
    is_refused = ::sched_setscheduler(0, SCHED_FIFO, &urgent) != 0;
    const std::lock_guard waits(mutex);
  });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (PriorityOfThisThread() >= 0 && !is_refused &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  const int priority = PriorityOfThisThread();
  lock.unlock();
  waiter.join();
  if (is_refused) GTEST_SKIP() << "no real-time priority can be had here";
  EXPECT_LT(priority, 0);
}

TEST(InheritingCondition, WakesWhoWaitsForWhatHasCome) {
  InheritingMutex mutex;
  InheritingCondition changed;
  bool come = false;
  std::thread waiter([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return come; });
    come = false;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  come = true;
  changed.notify_one();
  EXPECT_TRUE(changed.wait_for(lock, std::chrono::hours(1), [&] { return !come; }));
  lock.unlock();
  waiter.join();
}

TEST(InheritingCondition, GivesUpAfterAWhile) {
  InheritingMutex mutex;
  InheritingCondition changed;
  std::unique_lock lock(mutex);
  EXPECT_FALSE(changed.wait_for(lock, std::chrono::milliseconds(1), [] { return false; }));
  EXPECT_FALSE(changed.wait_for(lock, std::chrono::nanoseconds(-1), [] { return false; }));
  EXPECT_TRUE(changed.wait_for(lock, std::chrono::nanoseconds::max(), [] { return true; }));
}

}  // namespace
}  // namespace jettison
