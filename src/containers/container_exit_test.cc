#include "containers/container_exit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

#include "containers/cri_container.h"
#include "ports/fakes/fake_clock.h"

namespace jettison::cri {
namespace {

Instant At(int seconds) {
  return Instant(std::chrono::hours(1000) + std::chrono::seconds(seconds));
}

api::ContainerStatus Exited(int code, const char* reason = "") {
  api::ContainerStatus status;
  status.set_state(api::CONTAINER_EXITED);
  status.set_exit_code(code);
  status.set_reason(reason);
  status.set_started_at(At(10).time_since_epoch().count());
  status.set_finished_at(At(20).time_since_epoch().count());
  return status;
}

// A minute after the epoch, by both clocks.
FakeClock MinuteClock() {
  return FakeClock(At(60));
}

ContainerExit ExitOf(const api::ContainerStatus& status, const KernelWord& seen) {
  return jettison::ExitOf(StandingOf(status).end, seen, FakeClock(At(60)));
}

TEST(ExitOf, NamesTheSignalThatTheKernelTellsOrTheCodeStandsFor) {
  EXPECT_EQ(ExitOf(Exited(143), {}).signal, SIGTERM);
  EXPECT_EQ(ExitOf(Exited(255), {}).signal, 0);
  EXPECT_EQ(ExitOf(Exited(143), {.wait_status = 143 << 8}).signal, 0) << "it exited so by itself";
  EXPECT_EQ(ExitOf(Exited(137), {.wait_status = SIGKILL}).signal, SIGKILL);
}

TEST(ExitOf, FillsInTimesThatTheRuntimeDoesNotGive) {
  api::ContainerStatus status = Exited(0);
  status.set_started_at(0);
  status.set_finished_at(-1);
  const ContainerExit exit = ExitOf(status, {.started = At(5), .finished = At(7)});
  EXPECT_EQ(exit.started, At(5));
  EXPECT_EQ(exit.finished, At(7));
  status = Exited(0);
  status.set_finished_at(At(3).time_since_epoch().count());
  EXPECT_EQ(ExitOf(status, {.started = At(10), .finished = At(21)}).finished, At(10))
      << "nothing ends before it begins";
}

TEST(ExitOf, IsAsLongAgoAsItIsHoweverTheWallClockIsSet) {
  for (const auto step : {std::chrono::hours(1), std::chrono::hours(-1)}) {
    // The runtime stamped start and end with the wall clock; it was set in between.
    FakeClock clock = MinuteClock();
    clock.StepWall(step);
    api::ContainerStatus status = Exited(1);
    status.set_finished_at((At(20) + step).time_since_epoch().count());
    const ContainerExit exit =
        jettison::ExitOf(StandingOf(status).end, {.started = At(10), .finished = At(21)}, clock);
    EXPECT_EQ(exit.started, At(10)) << "known already";
    EXPECT_EQ(exit.finished, At(20));
    // Set after the end and before it was asked for: never in the future, nor before the start.
    status.set_finished_at(At(20).time_since_epoch().count());
    const Instant finished =
        jettison::ExitOf(StandingOf(status).end, {.started = At(10), .finished = At(21)}, clock)
            .finished;
    EXPECT_GE(finished, At(10));
    EXPECT_LE(finished, At(21));
  }
}

TEST(ExitOf, WithoutTheRuntimeIsTheKernelsWordOrAKill) {
  EXPECT_EQ(ExitOf(KernelWord{.wait_status = 7 << 8}).exit_code, 7);
  EXPECT_EQ(ExitOf(KernelWord{.wait_status = SIGTERM}).exit_code, 143);
  const ContainerExit unknown = ExitOf(KernelWord{.oom_killed = true, .finished = At(9)});
  EXPECT_EQ(unknown.exit_code, 137);
  EXPECT_EQ(unknown.signal, SIGKILL);
  EXPECT_TRUE(unknown.oom_killed);
  EXPECT_EQ(unknown.finished, At(9));
}

}  // namespace
}  // namespace jettison::cri
