#include "agent/loop/event_loop.h"

#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <thread>

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

TEST(EventLoop, SignalsAreBlockedWhileItLives) {
  OnItsOwnThread([] {
    auto loop = EventLoop::Make();
    ASSERT_TRUE(loop) << loop.error().message;
    ASSERT_TRUE((*loop)->OnSignals({SIGUSR1}, [] {}));
    EXPECT_TRUE(IsBlocked(SIGUSR1));
    loop->reset();
    EXPECT_FALSE(IsBlocked(SIGUSR1));
  });
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
