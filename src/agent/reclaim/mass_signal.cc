#include "agent/reclaim/mass_signal.h"

#include <algorithm>
#include <csignal>
#include <mutex>
#include <utility>

#include "kernel/groups/layout/group_names.h"

namespace jettison {

// Groups of one pod are signalled one after another, so an order behind another one of its pod
// needs no sender: the one that sends that one finds it.
Result<void> MassSignal::Send(std::string_view path, int signal) {
  Order order(path, signal);
  Result<void> before;
  Sender* sender = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(orders_, order, &Entry::order) != orders_.end()) return {};
    if (const auto failed = failures_.find(order); failed != failures_.end()) {
      before = Fail(std::move(failed->second));
      failures_.erase(failed);
    }
    orders_.push_back({.order = std::move(order)});
    if (IsFirstOfItsPod(orders_.back())) sender = TakeSender();
  }
  if (sender != nullptr) sender->jobs.Do([this, sender] { SendAll(*sender); });
  return before;
}

// The mutex is held.
MassSignal::Sender* MassSignal::TakeSender() {
  const auto idle = std::ranges::find(senders_, false, &Sender::is_busy);
  if (idle == senders_.end()) return nullptr;
  idle->is_busy = true;
  return &*idle;
}

bool MassSignal::IsSending(std::string_view path) {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(orders_, [path](const Entry& entry) {
    const std::string& group = entry.order.first;
    return path.starts_with(group) && (path.size() == group.size() || path[group.size()] == '/');
  });
}

void MassSignal::SendAll(Sender& sender) {
  std::unique_lock lock(mutex_);
  while (const auto order = TakeNext()) {
    lock.unlock();
    const auto sent = SendOne(*order);
    lock.lock();
    Finish(*order, sent);
  }
  sender.is_busy = false;
}

// The mutex is held.
bool MassSignal::IsFirstOfItsPod(const Entry& entry) const {
  const auto of_same_pod = [pod = kernel::PodPart(entry.order.first)](const Entry& other) {
    return kernel::PodPart(other.order.first) == pod;
  };
  return &*std::ranges::find_if(orders_, of_same_pod) == &entry;
}

// The first of its pod that no thread has. The mutex is held.
std::optional<MassSignal::Order> MassSignal::TakeNext() {
  for (Entry& entry : orders_) {
    if (entry.is_taken || !IsFirstOfItsPod(entry)) continue;
    entry.is_taken = true;
    return entry.order;
  }
  return std::nullopt;
}

// The mutex is held. Nobody asks again for a group that is gone.
void MassSignal::Finish(const Order& order, const Result<void>& sent) {
  const auto entry = std::ranges::find(orders_, order, &Entry::order);
  const bool failed = !sent && sent.error().code != ErrorCode::kNotFound;
  if (failed && std::ranges::count(orders_, true, &Entry::is_taken) > 1 &&
      !std::exchange(entry->again, true)) {
    entry->is_taken = false;
    return;
  }
  orders_.erase(entry);
  if (failed) failures_.insert_or_assign(order, sent.error());
}

Result<void> MassSignal::SendOne(const Order& order) {
  const auto& [path, signal] = order;
  return signal == SIGKILL ? groups_.Kill(path) : groups_.Signal(path, signal);
}

}  // namespace jettison
