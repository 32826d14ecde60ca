#include "machine/loop/event_loop.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ports/file_descriptor.h"

namespace jettison {
namespace {

bool IsBlocked(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

// On a thread of its own, which blocks nothing at first and takes its mask with it.
void OnItsOwnThread(const std::function<void()>& work) {
  std::thread([&work] {
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    work();
  }).join();
}

// Readable from the beginning until Take.
class Flag {
 public:
  Flag() : fd_(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  [[nodiscard]] int fd() const { return fd_.get(); }
  void Take() const {
    std::uint64_t count = 0;
    EXPECT_EQ(::read(fd_.get(), &count, sizeof count), static_cast<ssize_t>(sizeof count));
  }

 private:
  FileDescriptor fd_;
};

TEST(EventLoop, WhatIsUrgentComesFirst) {
  auto loop = EventLoop::Make().value();
  const Flag normal;
  const Flag urgent;
  std::vector<std::string> seen;
  ASSERT_TRUE(loop->Watch(normal.fd(), [&] {
    seen.emplace_back("normal");
    loop->Quit();
  }));
  const auto take = [&] {
    seen.emplace_back("urgent");
    urgent.Take();
  };
  ASSERT_TRUE(loop->Watch(urgent.fd(), take, EventLoop::Urgency::kFirst));
  EXPECT_TRUE(loop->Run([] {}));
  EXPECT_EQ(seen, (std::vector<std::string>{"urgent", "normal"}));
}

TEST(EventLoop, ADescriptorThatHasTheNumberOfAnotherIsNotTakenForIt) {
  auto loop = EventLoop::Make().value();
  FileDescriptor first(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
  const Flag last;
  bool called = false;
  ASSERT_TRUE(loop->Watch(last.fd(), [&] {
    last.Take();
    const int number = first.get();
    loop->Unwatch(number);
    first = FileDescriptor();
    first = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));  // not readable
    EXPECT_EQ(first.get(), number);
    EXPECT_TRUE(loop->Watch(number, [&] { called = true; }));
    loop->SetTimer(Duration::zero());
  }));
  ASSERT_TRUE(loop->Watch(first.get(), [] {}));
  int turns = 0;
  ASSERT_TRUE(loop->Run([&] {
    if (++turns == 2) loop->Quit();
  }));
  EXPECT_FALSE(called);
}

TEST(EventLoop, ASignalThatComesAgainDoesNotCutShortTheEndOfTheProgram) {
  OnItsOwnThread([] {
    auto loop = EventLoop::Make();
    ASSERT_TRUE(loop) << loop.error().message;
    int came = 0;
    ASSERT_TRUE((*loop)->OnSignals({SIGUSR1, SIGUSR2}, [&] {
      ++came;
      (*loop)->Quit();
    }));
    pthread_kill(pthread_self(), SIGUSR1);
    ASSERT_TRUE((*loop)->Run([] {}));
    EXPECT_EQ(came, 1);
    pthread_kill(pthread_self(), SIGUSR1);
    pthread_kill(pthread_self(), SIGUSR2);
    loop->reset();  // either signal would end this program
    EXPECT_TRUE(IsBlocked(SIGUSR1));
    EXPECT_TRUE(IsBlocked(SIGUSR2));
  });
}

}  // namespace
}  // namespace jettison
