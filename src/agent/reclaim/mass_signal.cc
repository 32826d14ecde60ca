#include "agent/reclaim/mass_signal.h"

#include <algorithm>
#include <csignal>

#include "kernel/groups/layout/group_names.h"

namespace jettison {
namespace {

// Nobody asks again for a group that is gone.
bool HasFailed(const Result<void>& sent) {
  return !sent && sent.error().code != ErrorCode::kNotFound;
}

}  // namespace

Result<void> MassSignal::Send(std::string_view path, int signal) {
  Order order(path, signal);
  Result<void> before;
  {
    const std::lock_guard lock(mutex_);
    ForgetIdlePods();
    if (!orders_.insert(order).second) return {};
    if (const auto failed = failures_.find(order); failed != failures_.end()) {
      before = Fail(std::move(failed->second));
      failures_.erase(failed);
    }
  }
  const std::string pod(kernel::PodPart(path));
  JobQueue& jobs = by_pod_.try_emplace(pod, Threads::kEnding).first->second;
  jobs.Do([this, order = std::move(order)] { Carry(order); });
  return before;
}

// The mutex is held.
void MassSignal::ForgetIdlePods() {
  std::erase_if(by_pod_, [this](const auto& pod) {
    return std::ranges::none_of(
        orders_, [&](const Order& order) { return kernel::PodPart(order.first) == pod.first; });
  });
}

bool MassSignal::IsSending(std::string_view path) {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(orders_, [path](const Order& order) {
    const std::string& group = order.first;
    return path.starts_with(group) && (path.size() == group.size() || path[group.size()] == '/');
  });
}

void MassSignal::Carry(const Order& order) {
  ++sending_;
  auto sent = SendOne(order);
  if (HasFailed(sent) && sending_ > 1) sent = SendOne(order);
  --sending_;
  const std::lock_guard lock(mutex_);
  orders_.erase(order);
  if (HasFailed(sent)) failures_.insert_or_assign(order, sent.error());
}

Result<void> MassSignal::SendOne(const Order& order) {
  const auto& [path, signal] = order;
  return signal == SIGKILL ? groups_.Kill(path) : groups_.Signal(path, signal);
}

}  // namespace jettison
