#include "rpc/call_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/timerfd.h>

#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::IsEmpty;

class CallLedgerTest : public testing::Test {
 protected:
  // Notes what is delivered of it.
  CallLedger::Call Make(steady_clock::time_point overdue_at) {
    auto call = std::make_shared<LedgerCall>();
    call->overdue_at = overdue_at;
    call->when_overdue = {ErrorCode::kDeadlineExceeded, "overdue"};
    call->done = [this](const std::optional<Error>& error) {
      notes_.push_back(error ? error->message : "done");
    };
    return call;
  }
  CallLedger::Call Add(steady_clock::time_point overdue_at = steady_clock::time_point::max()) {
    auto call = Make(overdue_at);
    ledger_.Add(call);
    return call;
  }
  [[nodiscard]] bool Readable() const {
    pollfd timer{.fd = ledger_.fd(), .events = POLLIN, .revents = 0};
    return ::poll(&timer, 1, 0) == 1;
  }
  void Deliver() {
    for (const auto& call : ledger_.TakeAnswers()) call->done(call->error);
  }

  CallLedger ledger_{FileDescriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))};
  std::vector<std::string> notes_;
};

TEST_F(CallLedgerTest, AnAnswerMakesTheDescriptorReadableUntilItIsTaken) {
  const auto call = Add();
  EXPECT_FALSE(Readable());
  ledger_.Finish(call, std::nullopt);
  EXPECT_TRUE(Readable());
  Deliver();
  EXPECT_THAT(notes_, ElementsAre("done"));
  EXPECT_FALSE(Readable());
}

TEST_F(CallLedgerTest, ACallThatIsOverdueMakesItReadableTooAndIsCancelled) {
  const auto now = steady_clock::now();
  (void)Add(now + std::chrono::hours(1));
  EXPECT_FALSE(Readable());
  const auto overdue = Add(now);
  EXPECT_TRUE(Readable());
  ledger_.EndOverdue(now);
  EXPECT_FALSE(Readable());
  ledger_.Finish(overdue, Error{ErrorCode::kUnavailable, "cancelled"});
  Deliver();
  EXPECT_THAT(notes_, ElementsAre("overdue"));
}

TEST_F(CallLedgerTest, ACallThatDoesNotEndWhenItIsCancelledIsAnsweredAndKeptUntilItDoes) {
  const auto now = steady_clock::now();
  const auto call = Add(now);
  ledger_.EndOverdue(now);
  ledger_.EndOverdue(now + milliseconds(999));
  Deliver();
  EXPECT_THAT(notes_, IsEmpty());
  ledger_.EndOverdue(now + milliseconds(1000));
  EXPECT_TRUE(Readable());
  Deliver();
  EXPECT_THAT(notes_, ElementsAre("overdue"));
  EXPECT_FALSE(ledger_.CancelAll(milliseconds(0))) << "gRPC still has it";
  notes_.clear();
  ledger_.Finish(call, std::nullopt);
  EXPECT_TRUE(ledger_.CancelAll(milliseconds(0)));
  Deliver();
  EXPECT_THAT(notes_, IsEmpty()) << "it is answered already";
}

TEST_F(CallLedgerTest, TheEarliestOfManyIsWaitedForAlsoWhenItHasEnded) {
  const auto now = steady_clock::now();
  const auto first = Add(now - milliseconds(2));
  const auto second = Add(now - milliseconds(1));
  (void)Add(now + std::chrono::hours(1));
  EXPECT_TRUE(Readable());
  ledger_.Finish(first, std::nullopt);
  Deliver();
  EXPECT_TRUE(Readable()) << "the second is overdue";
  ledger_.EndOverdue(now);
  EXPECT_FALSE(Readable());
  ledger_.Finish(second, std::nullopt);
  Deliver();
  EXPECT_THAT(notes_, ElementsAre("done", "done"));
  EXPECT_FALSE(Readable());
}

TEST_F(CallLedgerTest, ACallCostsAsMuchAmongManyAsAmongFew) {
  // CPU time of this thread per call, in seconds.
  const auto cost_among = [this](std::size_t count) {
    std::vector<CallLedger::Call> calls;
    for (std::size_t i = 0; i < count; ++i) {
      calls.push_back(Make(steady_clock::now() + std::chrono::hours(1)));
    }
    timespec begin{};
    timespec end{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    for (const auto& call : calls) ledger_.Add(call);
    for (const auto& call : calls) ledger_.Finish(call, std::nullopt);
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    (void)ledger_.TakeAnswers();
    const auto seconds_of = [](const timespec& time) {
      return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    return (seconds_of(end) - seconds_of(begin)) / static_cast<double>(count);
  };
  (void)cost_among(100);  // warms caches
  const double among_few = cost_among(500);
  EXPECT_LT(cost_among(8000), 4 * among_few);
}

}  // namespace
}  // namespace jettison::cri
