#include "agent/notify/eviction_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/explanation/explanation_text.h"
#include "core/text/number.h"

namespace jettison {
namespace {

constexpr std::string_view kPrefix = "ev-";

// Explains why a pass failed the pod with `uid`.
PastEviction Explained(const RecordedPass& pass, const std::string& uid, std::uint64_t number,
                       ExplainOptions options) {
  options.id = EvictionId(number);
  options.subject_uid = uid;
  const PassExplanation why = Explain(pass, options);
  PastEviction kept{.number = number,
                    .id = options.id,
                    .at = why.at,
                    .pod = why.subject.value_or(PodIdentity{.uid = uid}),
                    .summary = HeadlineOf(why),
                    .dry_run = why.dry_run,
                    .text = TextOf(why),
                    .json = JsonOf(why)};
  if (why.threshold) kept.signal = NameOf(why.ActedFor()->threshold.signal);
  const auto found = std::ranges::find_if(
      why.evicted, [&](const EvictedPod& evicted) { return evicted.pod.uid == uid; });
  if (found != why.evicted.end()) kept.message = found->record.order.message;
  return kept;
}

}  // namespace

std::string EvictionId(std::uint64_t number) {
  return fmt::format("{}{}", kPrefix, number);
}

std::uint64_t EvictionNumber(std::string_view id) {
  if (!id.starts_with(kPrefix)) return 0;
  id.remove_prefix(kPrefix.size());
  const auto number = ParseNumber<std::uint64_t>(id);
  return number && id.front() != '0' ? *number : 0;
}

void EvictionHistory::Add(std::shared_ptr<const RecordedPass> pass) {
  explanations_.Do([this, pass = std::move(pass)] {
    for (const EvictionRecord& eviction : pass->report.evictions) {
      Keep(*pass, eviction.order.pod_uid);
    }
  });
}

std::shared_ptr<const PastEvictions> EvictionHistory::Evictions() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

// One at a time: nobody else changes the list.
void EvictionHistory::Keep(const RecordedPass& pass, const std::string& uid) {
  const std::shared_ptr<const PastEvictions> before = Evictions();
  auto newest =
      std::make_shared<const PastEviction>(Explained(pass, uid, last_number_ + 1, options_));
  const PastEviction* const last = before->empty() ? nullptr : before->back().get();
  if (options_.dry_run && last != nullptr && last->pod.uid == uid &&
      last->signal == newest->signal) {
    return;
  }
  ++last_number_;
  PastEvictions list = *before;
  list.push_back(std::move(newest));
  if (list.size() > most_) list.erase(list.begin());
  auto kept = std::make_shared<const PastEvictions>(std::move(list));
  // What the new list replaces is destroyed without the lock, because it may be large.
  const std::lock_guard lock(mutex_);
  kept_.swap(kept);
}

}  // namespace jettison
