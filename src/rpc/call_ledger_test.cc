#include "rpc/call_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/timerfd.h>

#include <string>
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

TEST_F(CallLedgerTest, ACallThatIsOverdueMakesItReadableToo) {
  const auto now = steady_clock::now();
  (void)Add(now + std::chrono::hours(1));
  EXPECT_FALSE(Readable());
  EXPECT_FALSE(ledger_.AnyOverdue(now));
  (void)Add(now);
  EXPECT_TRUE(Readable());
  EXPECT_TRUE(ledger_.AnyOverdue(now));
}

TEST_F(CallLedgerTest, ACallThatDoesNotEndWhenItIsCancelledIsAnsweredAndKeptUntilItDoes) {
  Call* const call = Add(steady_clock::now());
  EXPECT_FALSE(ledger_.CancelAll(milliseconds(0)));
  EXPECT_TRUE(Readable());
  Deliver();
  EXPECT_THAT(notes_, ElementsAre("the call was given up"));
  EXPECT_FALSE(Readable());
  EXPECT_FALSE(ledger_.AnyUnderWay());
  EXPECT_FALSE(ledger_.AnyOverdue(steady_clock::now()));
  EXPECT_TRUE(ledger_.AnyLost());
  notes_.clear();
  ledger_.Finish(call, std::nullopt);
  EXPECT_FALSE(ledger_.AnyLost());
  Deliver();
  EXPECT_THAT(notes_, IsEmpty()) << "it is answered already";
}

}  // namespace
}  // namespace jettison::cri
