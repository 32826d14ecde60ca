#include "rpc/call_ledger.h"

#include <sys/timerfd.h>

#include <algorithm>
#include <vector>

namespace jettison::cri {

using std::chrono::steady_clock;

namespace {

constexpr std::chrono::seconds kCancelTakes{1};

}  // namespace

void CallLedger::Arm() {
  steady_clock::time_point at = steady_clock::time_point::max();
  for (const auto& [call, owned] : under_way_) at = std::min(at, call->overdue_at);
  if (!answers_.empty()) at = steady_clock::time_point(std::chrono::nanoseconds(1));  // at once
  itimerspec timer{};  // of zeros: never
  if (at != steady_clock::time_point::max()) {
    const auto since_boot = at.time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
    timer.it_value = {.tv_sec = seconds.count(), .tv_nsec = (since_boot - seconds).count()};
  }
  (void)::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &timer, nullptr);
}

void CallLedger::Add(std::unique_ptr<Call> call) {
  const std::lock_guard lock(mutex_);
  Call* const key = call.get();
  under_way_.emplace(key, std::move(call));
  Arm();
}

void CallLedger::Finish(Call* call, std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  if (lost_.erase(call) > 0) return finished_.notify_all();
  call->error = error && call->is_overdue ? call->when_overdue : std::move(error);
  const auto node = under_way_.find(call);
  answers_.push_back(std::move(node->second));
  under_way_.erase(node);
  Arm();
  finished_.notify_all();
}

std::deque<std::unique_ptr<Call>> CallLedger::TakeAnswers() {
  const std::lock_guard lock(mutex_);
  auto answers = std::exchange(answers_, {});
  Arm();
  return answers;
}

void CallLedger::EndOverdue(steady_clock::time_point now) {
  std::vector<Call*> overdue;
  {
    const std::lock_guard lock(mutex_);
    for (auto it = under_way_.begin(); it != under_way_.end();) {
      const auto node = it++;
      Call& call = *node->second;
      if (call.overdue_at > now) continue;
      if (!std::exchange(call.is_overdue, true)) {
        call.overdue_at = now + kCancelTakes;
        overdue.push_back(&call);
      } else {
        answers_.push_back(call.Supersede(call.when_overdue));
        lost_.insert(under_way_.extract(node));
      }
    }
    Arm();
  }
  // Whichever end meanwhile stay in answers_, and so alive.
  for (Call* const call : overdue) call->context->TryCancel();
}

bool CallLedger::CancelAll(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  std::vector<Call*> calls;
  for (const auto& [call, owned] : under_way_) calls.push_back(call);
  lock.unlock();
  for (Call* const call : calls) call->context->TryCancel();
  lock.lock();
  const auto all_ended = [this] { return under_way_.empty() && lost_.empty(); };
  const bool all = finished_.wait_for(lock, patience, all_ended);
  for (const std::unique_ptr<Call>& call : answers_) call->context.reset();
  return all;
}

}  // namespace jettison::cri
