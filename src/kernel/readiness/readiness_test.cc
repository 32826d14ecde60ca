#include "kernel/readiness/readiness.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "ports/fakes/scarcity.h"

namespace jettison::kernel {
namespace {

// Readable from the beginning, until it is read.
FileDescriptor Ready() {
  return FileDescriptor(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
}

TEST(Readiness, ACallbackMayEndAnyWatch) {
  const auto readiness = Readiness::Create().value();
  const FileDescriptor first = Ready();
  const FileDescriptor second = Ready();
  std::vector<Readiness::Watch> watches(2);
  int calls = 0;
  const auto end_all = [&] {
    ++calls;
    watches.clear();
  };
  watches[0] = readiness->OnReadable(first.get(), end_all);
  watches[1] = readiness->OnReadable(second.get(), end_all);
  readiness->Dispatch();
  readiness->Dispatch();
  EXPECT_EQ(calls, 1);
}

TEST(Readiness, ATimerNeedsNoDescriptorToSpare) {
  const auto readiness = Readiness::Create().value();
  const ScarceDescriptors none;
  std::vector<int> calls;
  Readiness::Watch late;
  Readiness::Watch early;
  // Set anew where this thread was held up in between for as long as the two are apart.
  std::chrono::steady_clock::time_point began;
  do {
    began = std::chrono::steady_clock::now();
    late = readiness->After(std::chrono::milliseconds(2), [&] { calls.push_back(2); });
    early = readiness->After(std::chrono::milliseconds(1), [&] { calls.push_back(1); });
  } while (std::chrono::steady_clock::now() - began >= std::chrono::milliseconds(1));
  Readiness::Watch never = readiness->After(Duration::zero(), [&] { calls.push_back(0); });
  never.Stop();
  pollfd due = {.fd = readiness->fd(), .events = POLLIN, .revents = 0};
  while (calls.size() < 2 && ::poll(&due, 1, 10'000) == 1) readiness->Dispatch();
  EXPECT_EQ(calls, (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace jettison::kernel
