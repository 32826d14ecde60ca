#include "rpc/call_ledger.h"

#include <unistd.h>

#include <cstdint>
#include <vector>

namespace jettison::cri {

void CallLedger::Add(std::unique_ptr<Call> call) {
  const std::lock_guard lock(mutex_);
  Call* const key = call.get();
  under_way_.emplace(key, std::move(call));
}

void CallLedger::Finish(Call* call, std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  call->error = std::move(error);
  const auto node = under_way_.find(call);
  answers_.push_back(std::move(node->second));
  under_way_.erase(node);
  const std::uint64_t one = 1;
  (void)!::write(event_fd_.get(), &one, sizeof one);
  finished_.notify_all();
}

std::deque<std::unique_ptr<Call>> CallLedger::TakeAnswers() {
  std::uint64_t ignored = 0;
  (void)!::read(event_fd_.get(), &ignored, sizeof ignored);
  const std::lock_guard lock(mutex_);
  return std::exchange(answers_, {});
}

bool CallLedger::AnyUnderWay() {
  const std::lock_guard lock(mutex_);
  return !under_way_.empty();
}

bool CallLedger::CancelAll(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  std::vector<Call*> calls;
  for (const auto& [call, owned] : under_way_) calls.push_back(call);
  // Whichever end meanwhile stay in answers_, and so alive.
  lock.unlock();
  for (Call* const call : calls) call->context->TryCancel();
  lock.lock();
  const bool all = finished_.wait_for(lock, patience, [this] { return under_way_.empty(); });
  for (const std::unique_ptr<Call>& call : answers_) call->context.reset();
  return all;
}

}  // namespace jettison::cri
