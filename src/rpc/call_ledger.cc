#include "rpc/call_ledger.h"

#include <poll.h>
#include <sys/timerfd.h>

#include "rpc/calls.h"

namespace jettison::cri {

bool AwaitAnswers(Calls& calls, Duration timeout, const std::function<bool()>& done) {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + timeout;
  for (;;) {
    calls.Deliver();
    if (done()) return true;
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd answers{.fd = calls.fd(), .events = POLLIN, .revents = 0};
    (void)::poll(&answers, 1, static_cast<int>(left.count()));
  }
}

void CallLedger::Arm() {
  Time at = Time::max();
  if (!under_way_.empty()) at = under_way_.begin()->first;
  if (!answers_.empty()) at = Time(std::chrono::nanoseconds(1));  // at once
  // A timer that has expired stays readable until it is set to something else.
  if (std::exchange(armed_for_, at) == at) return;
  itimerspec timer{};  // of zeros: never
  if (at != Time::max()) {
    const auto since_boot = at.time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
    timer.it_value = {.tv_sec = seconds.count(), .tv_nsec = (since_boot - seconds).count()};
  }
  (void)::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &timer, nullptr);
}

void CallLedger::Add(const Call& call) {
  const std::lock_guard lock(mutex_);
  with_grpc_.emplace(call.get(), call);
  under_way_.emplace(call->overdue_at, call.get());
  Arm();
}

void CallLedger::Finish(LedgerCall& call, std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  const bool waits = under_way_.erase({call.overdue_at, &call}) > 0;
  if (waits) call.error = std::move(error);
  // One that was overdue, too, so that it does not end on this thread.
  answers_.push_back(std::move(with_grpc_.extract(&call).mapped()));
  Arm();
  finished_.notify_all();
}

std::deque<CallLedger::Call> CallLedger::TakeAnswers() {
  const std::lock_guard lock(mutex_);
  auto answers = std::exchange(answers_, {});
  Arm();
  return answers;
}

void CallLedger::EndOverdue(Time now) {
  std::vector<Call> overdue;
  {
    const std::lock_guard lock(mutex_);
    while (!under_way_.empty() && under_way_.begin()->first <= now) {
      const Call& call = overdue.emplace_back(with_grpc_.at(under_way_.begin()->second));
      under_way_.erase(under_way_.begin());
      call->error = call->when_overdue;
      answers_.push_back(call);
    }
    Arm();
  }
  for (const Call& call : overdue) call->context.TryCancel();
}

bool CallLedger::CancelAll(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const auto calls = under_way_;
  lock.unlock();
  for (const auto& [at, call] : calls) {
    call->context.TryCancel();
    call->done = nullptr;
  }
  lock.lock();
  for (const Call& call : answers_) call->done = nullptr;
  return finished_.wait_for(lock, patience, [this] { return with_grpc_.empty(); });
}

}  // namespace jettison::cri
