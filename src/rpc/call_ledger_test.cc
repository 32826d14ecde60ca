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

// Writes down what it delivers.
class NotingCall : public Call {
 public:
  explicit NotingCall(std::vector<std::string>* notes) : notes_(notes) {}
  void Deliver() override { notes_->push_back(error ? error->message : "done"); }
  std::unique_ptr<Call> Supersede(Error failure) override {
    auto successor = std::make_unique<NotingCall>(notes_);
    successor->error = std::move(failure);
    return successor;
  }

 private:
  std::vector<std::string>* notes_;
};

class CallLedgerTest : public testing::Test {
 protected:
  Call* Add(steady_clock::time_point overdue_at = steady_clock::time_point::max()) {
    auto call = std::make_unique<NotingCall>(&notes_);
    call->overdue_at = overdue_at;
    call->when_overdue = {ErrorCode::kDeadlineExceeded, "overdue"};
    Call* const key = call.get();
    ledger_.Add(std::move(call));
    return key;
  }
  [[nodiscard]] bool Readable() const {
    pollfd timer{.fd = ledger_.fd(), .events = POLLIN, .revents = 0};
    return ::poll(&timer, 1, 0) == 1;
  }
  void Deliver() {
    for (const std::unique_ptr<Call>& call : ledger_.TakeAnswers()) call->Deliver();
  }

  CallLedger ledger_{FileDescriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))};
  std::vector<std::string> notes_;
};

TEST_F(CallLedgerTest, AnAnswerMakesTheDescriptorReadableUntilItIsTaken) {
  Call* const call = Add();
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
  Call* const overdue = Add(now);
  EXPECT_TRUE(Readable());
  ledger_.EndOverdue(now);
  EXPECT_FALSE(Readable());
  ledger_.Finish(overdue, Error{ErrorCode::kUnavailable, "cancelled"});
  Deliver();
  EXPECT_THAT(notes_, ElementsAre("overdue"));
}

TEST_F(CallLedgerTest, ACallThatDoesNotEndWhenItIsCancelledIsAnsweredAndKeptUntilItDoes) {
  const auto now = steady_clock::now();
  Call* const call = Add(now);
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
  Call* const first = Add(now - milliseconds(2));
  Call* const second = Add(now - milliseconds(1));
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
    std::vector<std::unique_ptr<Call>> calls;
    std::vector<Call*> keys;
    for (std::size_t i = 0; i < count; ++i) {
      calls.push_back(std::make_unique<NotingCall>(&notes_));
      calls.back()->overdue_at = steady_clock::now() + std::chrono::hours(1);
      keys.push_back(calls.back().get());
    }
    timespec begin{};
    timespec end{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    for (std::unique_ptr<Call>& call : calls) ledger_.Add(std::move(call));
    for (Call* const key : keys) ledger_.Finish(key, std::nullopt);
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
