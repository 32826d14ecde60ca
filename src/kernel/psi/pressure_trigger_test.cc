#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "kernel/psi/live_group.h"
#include "kernel/psi/pressure.h"

namespace jettison::psi {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr int kPatienceMs = 10'000;

// The events of the descriptor; 0 when none came in time.
short EventsOf(const PressureTrigger& trigger, int patience_ms) {
  pollfd poll{.fd = trigger.fd(), .events = POLLPRI, .revents = 0};
  return ::poll(&poll, 1, patience_ms) == 1 ? poll.revents : short{0};
}

TEST(PressureTrigger, AKernelWithoutPsiIsUnavailable) {
  const auto trigger = PressureTrigger::Open("/nonexistent/pressure/memory",
                                             {.stall = milliseconds(1), .window = seconds(2)});
  EXPECT_EQ(trigger.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(trigger.error().message, HasSubstr("CONFIG_PSI"));
}

class LivePressureTrigger : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto obstacle = LiveGroup::Obstacle()) GTEST_SKIP() << *obstacle;
    group_.emplace();
    const auto machine = PressureTrigger::Open("/proc/pressure/memory",
                                               {.stall = milliseconds(1), .window = seconds(2)});
    if (!machine) GTEST_SKIP() << machine.error().message;
  }
  [[nodiscard]] Result<PressureTrigger> OpenIo(const Stalls& stalls) const {
    const FileDescriptor directory(
        ::open(group_->path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    return PressureTrigger::Open(directory.get(), "io.pressure", stalls);
  }

  std::optional<LiveGroup> group_;
};

TEST_F(LivePressureTrigger, WhatIsNotGivenIsTakenWithALongerWindow) {
  const Stalls wanted = {
      .kind = StallKind::kFull, .stall = milliseconds(100), .window = milliseconds(700)};
  const auto trigger = OpenIo(wanted);
  ASSERT_TRUE(trigger) << trigger.error().message;
  EXPECT_EQ(trigger->granted().stall, wanted.stall);
  EXPECT_EQ(trigger->granted().kind, wanted.kind);
  EXPECT_TRUE(trigger->granted().window == wanted.window ||
              trigger->granted().window == PressureTrigger::kUnprivilegedWindow);
  const auto longest = OpenIo({.stall = seconds(10), .window = seconds(10)});
  ASSERT_TRUE(longest) << longest.error().message;
  EXPECT_EQ(longest->granted().window, seconds(10));
}

TEST_F(LivePressureTrigger, StallsWakeTheirGroupsTriggerAndNoOther) {
  const Stalls stalls = {.stall = milliseconds(1), .window = seconds(2)};
  auto some = OpenIo(stalls);
  auto memory = PressureTrigger::Open(group_->path() + "/memory.pressure", stalls);
  ASSERT_TRUE(some && memory);
  EXPECT_EQ(EventsOf(*some, 0), 0);
  ChildProcess child([](const auto&) { WaitForDisk(); });
  group_->Take(child);
  child.Start();
  EXPECT_EQ(EventsOf(*some, kPatienceMs), POLLPRI);
  EXPECT_EQ(EventsOf(*some, 0), 0) << "polling consumes the event";
  EXPECT_EQ(EventsOf(*memory, 0), 0);
}

}  // namespace
}  // namespace jettison::psi
