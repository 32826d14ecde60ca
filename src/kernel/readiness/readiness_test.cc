#include "kernel/readiness/readiness.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include "ports/fakes/scarcity.h"

namespace jettison::kernel {
namespace {

// Readable from the beginning, until it is read.
FileDescriptor Ready() {
  return FileDescriptor(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
}

TEST(Readiness, WhatStaysReadyIsToldOnceInADispatchHoweverMuchItIs) {
  const auto readiness = Readiness::Create();
  ASSERT_TRUE(readiness);
  constexpr std::size_t kMany = 200;
  std::vector<FileDescriptor> descriptors;
  std::vector<int> calls(kMany);
  std::vector<Readiness::Watch> watches;
  for (std::size_t i = 0; i < kMany; ++i) {
    descriptors.push_back(Ready());
    watches.push_back(
        (*readiness)->OnReadable(descriptors.back().get(), [&calls, i] { ++calls[i]; }));
  }
  (*readiness)->Dispatch();
  EXPECT_EQ(calls, std::vector<int>(kMany, 1));
  (*readiness)->Dispatch();
  EXPECT_EQ(calls, std::vector<int>(kMany, 2));
}

TEST(Readiness, ACallbackMayEndAnyWatch) {
  const auto readiness = Readiness::Create();
  ASSERT_TRUE(readiness);
  const FileDescriptor first = Ready();
  const FileDescriptor second = Ready();
  std::vector<Readiness::Watch> watches(2);
  int calls = 0;
  const auto end_all = [&] {
    ++calls;
    watches.clear();
  };
  watches[0] = (*readiness)->OnReadable(first.get(), end_all);
  watches[1] = (*readiness)->OnReadable(second.get(), end_all);
  (*readiness)->Dispatch();
  (*readiness)->Dispatch();
  EXPECT_EQ(calls, 1);
}

TEST(Readiness, AWakeUpLastsUntilTheNextDispatch) {
  const auto readiness = Readiness::Create();
  ASSERT_TRUE(readiness);
  int calls = 0;
  Readiness::Watch timer = (*readiness)->After(Duration::zero(), [&] { ++calls; });
  (*readiness)->Wake();
  while (calls == 0) (*readiness)->Dispatch();
  (*readiness)->Dispatch();
  EXPECT_EQ(calls, 1);
  epoll_event event{};
  EXPECT_EQ(::epoll_wait((*readiness)->fd(), &event, 1, 0), 0);
}

TEST(Readiness, WhatTheKernelDoesNotWatchIsLookedAtByTheClock) {
  const auto readiness = Readiness::Create();
  ASSERT_TRUE(readiness);
  const FileDescriptor file(::memfd_create("always readable", MFD_CLOEXEC));
  int calls = 0;
  Readiness::Watch watch = (*readiness)->OnReadable(file.get(), [&] { ++calls; });
  pollfd due = {.fd = (*readiness)->fd(), .events = POLLIN, .revents = 0};
  for (int looks = 1; looks <= 2; ++looks) {
    ASSERT_EQ(::poll(&due, 1, 10'000), 1) << "there would have been no callback";
    (*readiness)->Dispatch();
    EXPECT_EQ(calls, looks);
  }
  watch.Stop();
  (*readiness)->Dispatch();
  EXPECT_EQ(calls, 2);
}

TEST(Readiness, ATimerNeedsNoDescriptorToSpare) {
  const auto readiness = Readiness::Create();
  ASSERT_TRUE(readiness);
  const ScarceDescriptors none;
  std::vector<int> calls;
  Readiness::Watch late;
  Readiness::Watch early;
  // Set anew where this thread was held up in between for as long as the two are apart.
  std::chrono::steady_clock::time_point began;
  do {
    began = std::chrono::steady_clock::now();
    late = (*readiness)->After(std::chrono::milliseconds(2), [&] { calls.push_back(2); });
    early = (*readiness)->After(std::chrono::milliseconds(1), [&] { calls.push_back(1); });
  } while (std::chrono::steady_clock::now() - began >= std::chrono::milliseconds(1));
  Readiness::Watch never = (*readiness)->After(Duration::zero(), [&] { calls.push_back(0); });
  never.Stop();
  pollfd due = {.fd = (*readiness)->fd(), .events = POLLIN, .revents = 0};
  while (calls.size() < 2 && ::poll(&due, 1, 10'000) == 1) (*readiness)->Dispatch();
  EXPECT_EQ(calls, (std::vector<int>{1, 2}));
}

TEST(Readiness, ATimerThatIsSetAgainByItsOwnCallCallsAgain) {
  const auto readiness = Readiness::Create();
  ASSERT_TRUE(readiness);
  int calls = 0;
  Readiness::Watch timer;
  std::function<void()> again = [&] {
    if (++calls < 3) timer = (*readiness)->After(Duration::zero(), again);
  };
  again();
  pollfd due = {.fd = (*readiness)->fd(), .events = POLLIN, .revents = 0};
  while (calls < 3 && ::poll(&due, 1, 10'000) == 1) (*readiness)->Dispatch();
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace jettison::kernel
