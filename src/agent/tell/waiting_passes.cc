#include "agent/tell/waiting_passes.h"

#include <utility>

namespace jettison {

std::vector<WaitingPasses::Pass> WaitingPasses::Add(Pass pass) {
  const std::size_t bytes = BytesOf(*pass);
  entries_.push_back({std::move(pass), bytes});
  bytes_ += bytes;
  std::vector<Pass> dropped;
  while (entries_.size() > 1 && (entries_.size() > max_passes_ || bytes_ > max_bytes_)) {
    bytes_ -= entries_.front().bytes;
    dropped.push_back(std::move(entries_.front().pass));
    entries_.pop_front();
    if (returned_ > 0) --returned_;
  }
  return dropped;
}

WaitingPasses::Pass WaitingPasses::Next(bool stays) {
  if (returned_ == entries_.size()) return nullptr;
  const auto next = entries_.begin() + static_cast<std::ptrdiff_t>(returned_);
  if (stays) {
    ++returned_;
    return next->pass;
  }
  Pass pass = std::move(next->pass);
  bytes_ -= next->bytes;
  entries_.erase(next);
  return pass;
}

}  // namespace jettison
