#include "agent/tell/hooks.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace jettison {
namespace {

// How long the end of the agent waits for hooks: the next agent does not depend on them.
constexpr Duration kBriefEndPatience = std::chrono::milliseconds(500);

}  // namespace

Hooks::Hooks(const std::vector<HookConfig>& hooks, std::string node, bool dry_run,
             NameOfPod name_of_pod)
    : node_(std::move(node)), dry_run_(dry_run), name_of_pod_(std::move(name_of_pod)) {
  Replace(hooks);
}

// Each is told first, so that hooks which hang do not add up.
Hooks::~Hooks() {
  RetireAll();
  const auto end = std::chrono::steady_clock::now() + kBriefEndPatience;
  for (const auto& thread : retired_) thread->Stop();
  for (const auto& thread : retired_) thread->AwaitEnd(end);
}

void Hooks::RetireAll() {
  for (Hook& hook : hooks_) retired_.push_back(std::move(hook.thread));
  hooks_.clear();
}

// A hook that is being called, or for which notices wait, is destroyed later.
void Hooks::Replace(const std::vector<HookConfig>& hooks) {
  RetireAll();
  std::erase_if(retired_, [](const auto& thread) { return thread->idle(); });
  for (const HookConfig& config : hooks) {
    hooks_.push_back({.config = config,
                      .budget = HookBudget(config.min_interval),
                      .thread = std::make_unique<HookThread>(config, failures_)});
  }
}

void Hooks::ConditionsChanged(NodeConditions before, NodeConditions after, Instant now) {
  if (hooks_.empty()) return;
  for (const NodeConditionType type : kAllNodeConditions) {
    if (before.Has(type) == after.Has(type)) continue;
    Tell(Occasion::kConditionChange, ConditionNotice(Head(now), type, after.Has(type)), now);
  }
}

void Hooks::Evicting(const EvictionOrder& order, const Result<EvictOutcome>& outcome, Instant now) {
  Evicting(order, now);
  if (!outcome) NotEvicting(order);
}

void Hooks::Evicting(const EvictionOrder& order, Instant now) {
  if (hooks_.empty()) return;
  const std::string pod = name_of_pod_(order.pod_uid);
  Tell(Occasion::kBeforeEviction, BeforeEvictionNotice(Head(now), pod, order), now);
  if (!dry_run_) evicted_.push_back({pod, order});
}

void Hooks::NotEvicting(const EvictionOrder& order) {
  std::erase_if(evicted_,
                [&](const Evicted& evicted) { return evicted.order.pod_uid == order.pod_uid; });
}

void Hooks::CleanedUp(bool all_gone, Instant now) {
  for (const Evicted& evicted : std::exchange(evicted_, {})) {
    Tell(Occasion::kAfterEviction,
         AfterEvictionNotice(Head(now), evicted.pod, evicted.order, all_gone), now);
  }
}

void Hooks::Tell(Occasion occasion, const std::string& notice, Instant now) {
  for (Hook& hook : hooks_) {
    if (std::ranges::find(hook.config.when, occasion) == hook.config.when.end()) continue;
    if (hook.budget.Take(now)) {
      hook.thread->Tell(notice);
    } else {
      failures_->Put({hook.config.name, "the hook is called too often, so a notice was dropped"});
    }
  }
}

void Hooks::LogFailures(const Log& log) {
  std::erase_if(retired_, [](const auto& thread) { return thread->idle(); });
  for (const HookFailure& failure : failures_->TakeAll()) {
    log.Warn("hook call failed", {{"hook", failure.hook}, {"err", failure.problem}});
  }
}

}  // namespace jettison
