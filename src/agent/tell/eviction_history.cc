#include "agent/tell/eviction_history.h"

#include <mutex>
#include <utility>

namespace jettison {
namespace {

// How many of the oldest do not fit.
std::size_t CountBeyond(const KeptEvictions& kept, const EvictionHistorySettings& settings) {
  std::size_t bytes = 0;
  std::size_t fitting = 0;
  for (auto each = kept.rbegin(); each != kept.rend(); ++each) {
    bytes += (*each)->Bytes();
    const bool fits = fitting < settings.max_evictions && bytes <= settings.max_bytes;
    if (!fits && fitting > 0) break;
    ++fitting;
  }
  return kept.size() - fitting;
}

}  // namespace

void EvictionHistory::Add(std::shared_ptr<const RecordedPass> pass) {
  explanations_.Do([this, pass = std::move(pass)] {
    for (const EvictionRecord& eviction : pass->report.evictions) {
      Keep(*pass, eviction.order.pod_uid);
    }
  });
}

std::shared_ptr<const KeptEvictions> EvictionHistory::Evictions() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

// One at a time: nobody else changes the list.
void EvictionHistory::Keep(const RecordedPass& pass, const std::string& uid) {
  const std::shared_ptr<const KeptEvictions> before = Evictions();
  auto newest = std::make_shared<const KeptEviction>(
      KeepEviction(pass, uid, last_number_ + 1,
                   {.dry_run = settings_.dry_run,
                    .memory_estimator = settings_.memory_estimator,
                    .order_limit = settings_.order_limit}));
  const KeptEviction* const last = before->empty() ? nullptr : before->back().get();
  if (settings_.dry_run && last != nullptr && last->pod.uid == uid &&
      last->signal == newest->signal) {
    return;
  }
  ++last_number_;
  KeptEvictions list = *before;
  list.push_back(std::move(newest));
  list.erase(list.begin(),
             list.begin() + static_cast<std::ptrdiff_t>(CountBeyond(list, settings_)));
  auto kept = std::make_shared<const KeptEvictions>(std::move(list));
  // What the new list replaces is destroyed without the lock, because it may be large.
  const std::lock_guard lock(mutex_);
  kept_.swap(kept);
}

}  // namespace jettison
