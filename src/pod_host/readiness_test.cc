#include "pod_host/readiness.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <vector>

namespace jettison::pod_host {
namespace {

// Readable from the beginning, until somebody reads it.
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

}  // namespace
}  // namespace jettison::pod_host
