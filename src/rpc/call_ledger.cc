#include "rpc/call_ledger.h"

#include <sys/timerfd.h>

#include <utility>
#include <vector>

namespace jettison::cri {

using std::chrono::steady_clock;

namespace {

constexpr std::chrono::seconds kCancelTakes{1};

}  // namespace

void CallLedger::Arm() {
  steady_clock::time_point at = steady_clock::time_point::max();
  if (!under_way_.empty()) at = under_way_.begin()->first;
  if (!answers_.empty()) at = steady_clock::time_point(std::chrono::nanoseconds(1));  // at once
  // A timer that has expired stays readable until it is set to something else.
  if (std::exchange(armed_for_, at) == at) return;
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
  places_[key] = under_way_.emplace(key->overdue_at, std::move(call));
  Arm();
}

void CallLedger::Finish(Call* call, std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  if (lost_.erase(call) > 0) return finished_.notify_all();
  call->error = error && call->is_overdue ? call->when_overdue : std::move(error);
  const auto place = places_.find(call);
  answers_.push_back(std::move(place->second->second));
  under_way_.erase(place->second);
  places_.erase(place);
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
    while (!under_way_.empty() && under_way_.begin()->first <= now) {
      auto node = under_way_.extract(under_way_.begin());
      Call& call = *node.mapped();
      if (!std::exchange(call.is_overdue, true)) {
        call.overdue_at = node.key() = now + kCancelTakes;
        places_[&call] = under_way_.insert(std::move(node));
        overdue.push_back(&call);
      } else {
        answers_.push_back(call.Supersede(call.when_overdue));
        places_.erase(&call);
        lost_.emplace(&call, std::move(node.mapped()));
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
  for (const auto& [at, call] : under_way_) calls.push_back(call.get());
  lock.unlock();
  for (Call* const call : calls) call->context->TryCancel();
  lock.lock();
  const auto all_ended = [this] { return under_way_.empty() && lost_.empty(); };
  const bool all = finished_.wait_for(lock, patience, all_ended);
  for (const std::unique_ptr<Call>& call : answers_) call->context.reset();
  return all;
}

}  // namespace jettison::cri
