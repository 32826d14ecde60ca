#include "agent/reclaim/mass_signal.h"

#include <algorithm>
#include <csignal>

namespace jettison {

Result<void> MassSignal::Send(std::string_view path, int signal) {
  Order order(path, signal);
  Result<void> before;
  {
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(waiting_, order) != waiting_.end()) return {};
    if (const auto failed = failures_.find(order); failed != failures_.end()) {
      before = Fail(std::move(failed->second));
      failures_.erase(failed);
    }
    waiting_.push_back(std::move(order));
  }
  thread_.Do([this] { SendAll(); });
  return before;
}

bool MassSignal::IsSending(std::string_view path) {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(waiting_, [path](const Order& order) {
    const std::string& group = order.first;
    return path.starts_with(group) && (path.size() == group.size() || path[group.size()] == '/');
  });
}

void MassSignal::SendAll() {
  std::unique_lock lock(mutex_);
  while (!waiting_.empty()) {
    const Order order = waiting_.front();
    lock.unlock();
    const auto sent = SendOne(order);
    lock.lock();
    waiting_.pop_front();
    // Nobody asks again for a group that is gone.
    const bool is_gone = !sent && sent.error().code == ErrorCode::kNotFound;
    if (!sent && !is_gone) failures_.insert_or_assign(order, sent.error());
  }
}

Result<void> MassSignal::SendOne(const Order& order) {
  const auto& [path, signal] = order;
  return signal == SIGKILL ? groups_.Kill(path) : groups_.Signal(path, signal);
}

}  // namespace jettison
