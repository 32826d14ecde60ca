#include "rpc/call_ledger.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace jettison::cri {

using std::chrono::steady_clock;

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
  if (lost_.erase(call) > 0) return;
  call->error = std::move(error);
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

bool CallLedger::AnyUnderWay() {
  const std::lock_guard lock(mutex_);
  return !under_way_.empty();
}

bool CallLedger::AnyOverdue(steady_clock::time_point now) {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(under_way_,
                             [now](const auto& each) { return each.second->overdue_at <= now; });
}

bool CallLedger::CancelAll(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  std::vector<Call*> calls;
  for (const auto& [call, owned] : under_way_) {
    call->overdue_at = steady_clock::time_point::max();
    calls.push_back(call);
  }
  // Whichever end meanwhile stay in answers_, and so alive.
  lock.unlock();
  for (Call* const call : calls) call->context->TryCancel();
  lock.lock();
  const bool all = finished_.wait_for(lock, patience, [this] { return under_way_.empty(); });
  for (const std::unique_ptr<Call>& call : answers_) call->context.reset();
  for (auto& [key, call] : under_way_) {
    answers_.push_back(call->Supersede({ErrorCode::kUnavailable, "the call was given up"}));
    lost_.emplace(key, std::move(call));
  }
  under_way_.clear();
  Arm();
  return all;
}

bool CallLedger::AnyLost() {
  const std::lock_guard lock(mutex_);
  return !lost_.empty();
}

}  // namespace jettison::cri
