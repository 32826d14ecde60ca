#include "machine/loop/job_queue.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>

#include "ports/fakes/scarcity.h"
#include "ports/mailbox.h"

namespace jettison {
namespace {

bool AwaitReadable(int fd) {
  pollfd ready = {.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&ready, 1, 10'000) == 1;
}

class JobQueueTest : public testing::Test {
 protected:
  // Has the queue do a job that ends when `gate_` is opened, and waits until it has begun.
  void Hang(JobQueue& queue) {
    closed_ = std::unique_lock(gate_);
    queue.Do([this] {
      begun_.Put(0);
      const std::lock_guard wait(gate_);
      done_.Put(0);
    });
    ASSERT_TRUE(AwaitReadable(begun_.fd()));
  }
  std::vector<int> Done(std::size_t count) {
    std::vector<int> seen;
    while (seen.size() < count && AwaitReadable(done_.fd())) {
      for (const int value : done_.TakeAll()) seen.push_back(value);
    }
    return seen;
  }

  std::mutex gate_;
  std::unique_lock<std::mutex> closed_;
  Mailbox<int> begun_;
  Mailbox<int> done_;
};

TEST_F(JobQueueTest, OneThatHangsHoldsUpNoOther) {
  JobQueue hangs(Threads::kSpare);
  JobQueue other(Threads::kSpare);
  Hang(hangs);
  hangs.Do([this] { done_.Put(3); });
  for (int i = 1; i < 3; ++i) {
    other.Do([this, i] { done_.Put(i); });
    EXPECT_EQ(Done(1), std::vector<int>{i});
  }
  closed_.unlock();
  EXPECT_EQ(Done(2), (std::vector<int>{0, 3}));
}

TEST(JobQueue, OneThatHangsIsLeftWithTheOwnerOfItsJob) {
  struct Owner {
    std::mutex gate;
    Mailbox<int> seen;
    int value = 7;
  };
  auto owner = std::make_shared<Owner>();
  const std::weak_ptr<Owner> kept = owner;
  auto queue = std::make_unique<JobQueue>(Threads::kFiles);
  std::unique_lock closed(owner->gate);
  queue->Do([of = owner.get()] {
    of->seen.Put(0);
    const std::lock_guard wait(of->gate);
    of->seen.Put(of->value);
  });
  ASSERT_TRUE(AwaitReadable(owner->seen.fd()));
  EXPECT_EQ(owner->seen.TakeAll().size(), 1U);
  EXPECT_FALSE(FinishOrLeave(*queue, kept, std::chrono::milliseconds(1)));
  queue.reset();
  Owner* const still_there = owner.get();
  owner.reset();
  ASSERT_FALSE(kept.expired());
  closed.unlock();
  ASSERT_TRUE(AwaitReadable(still_there->seen.fd()));
  EXPECT_EQ(still_there->seen.TakeAll(), std::vector<int>{7});
}

// How many threads of that name this process has.
int ThreadsNamed(const std::string& name) {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string found;
    std::getline(std::ifstream(task.path() / "comm"), found);
    count += found == name ? 1 : 0;
  }
  return count;
}

TEST(JobQueue, ItsThreadsAreThereBeforeItsFirstJobAndQueuesShareThem) {
  const JobQueue first(Threads::kWalks);
  const JobQueue second(Threads::kWalks);
  EXPECT_TRUE(first.running());
  EXPECT_EQ(ThreadsNamed("disk-walk"), 2);
}

TEST(JobQueue, ThreadsThatAreRefusedAreMissingAndJobsWaitForThem) {
  Mailbox<int> done;
  std::optional<JobQueue> queue;
  {
    const NoMoreThreads none;
    queue.emplace(Threads::kHooks);
    queue->Do([&] { done.Put(1); });
    const auto missing = CareForThreads();
    ASSERT_EQ(missing.size(), 1U);
    EXPECT_EQ(missing[0].name, "hooks");
    EXPECT_EQ(missing[0].error.code, ErrorCode::kUnavailable);
  }
  EXPECT_FALSE(queue->running());
  EXPECT_TRUE(CareForThreads().empty());
  EXPECT_TRUE(queue->running());
  EXPECT_TRUE(AwaitReadable(done.fd()));
}

}  // namespace
}  // namespace jettison
