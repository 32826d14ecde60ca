#include "agent/cluster/evictions/cluster_evictions.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "core/units/duration.h"

namespace jettison {
namespace {

// Each eviction makes two calls at once.
constexpr std::size_t kCallsOfOne = 2;

const char* WordsOf(kube::EvictionEnd end) {
  switch (end) {
    case kube::EvictionEnd::kDeleted: return "the API server deletes an evicted pod";
    case kube::EvictionEnd::kGone:
      return "an evicted pod had already been deleted from the cluster";
    case kube::EvictionEnd::kGivenUp:
      return "an evicted pod could not be deleted within an hour, and the agent stops trying; the "
             "kubelet may start it again";
  }
  return "";
}

}  // namespace

ClusterEvictions::ClusterEvictions(const ClusterEvictionDependencies& dependencies)
    : dependencies_(dependencies), caller_(dependencies.cluster, dependencies.log) {}

void ClusterEvictions::Begin(kube::EvictionIntent intent,
                             std::optional<NodeConditionType> condition, Instant now) {
  if (IsUnderWay(intent.uid)) return;
  if (condition) dependencies_.urge_taint(*condition, now);
  Add(std::move(intent), condition, now, condition ? now + kube::PodEviction::kTaintPatience : now);
  Drive(now);
}

void ClusterEvictions::Add(kube::EvictionIntent intent, std::optional<NodeConditionType> condition,
                           Instant evicted_at, Instant delete_due) {
  std::erase(remembered_, intent.uid);
  evictions_.emplace(next_id_++,
                     Eviction{.steps = kube::PodEviction(std::move(intent), evicted_at, delete_due),
                              .condition = condition});
  ++changes_.evictions;
}

bool ClusterEvictions::IsUnderWay(std::string_view uid) const {
  return std::ranges::any_of(
      evictions_, [uid](const auto& entry) { return entry.second.steps.intent().uid == uid; });
}

void ClusterEvictions::Advance(Instant now) {
  TakeUpEarlier(now);
  Drive(now);
}

void ClusterEvictions::TakeUpEarlier(Instant now) {
  for (kube::EvictionIntent& intent : std::exchange(earlier_, {})) {
    if (IsEvicted(intent.uid) || DropOfEarlierBoot(intent)) continue;
    dependencies_.on_found(intent);
    const Instant evicted_at = InstantOf(intent.evicted_at, dependencies_.clock);
    Add(std::move(intent), std::nullopt, evicted_at, now);
  }
}

// Nothing that ran before a boot still runs after it, nor is its group held. The kubelet starts the
// pod afresh on a node whose shortage is over.
bool ClusterEvictions::DropOfEarlierBoot(const kube::EvictionIntent& intent) {
  const std::string boot_id = dependencies_.clock.Mark().boot_id;
  if (intent.boot_id.empty() || boot_id.empty() || intent.boot_id == boot_id) return false;
  ++changes_.all;
  dependencies_.log.Warn(
      "the machine was restarted before the eviction of a pod was reported to the API server; the "
      "kubelet starts the pod afresh, and it is not evicted",
      {{"pod", intent.namespace_ + "/" + intent.name}, {"uid", intent.uid}});
  return true;
}

void ClusterEvictions::SettleTaints(Instant now) {
  for (auto& [id, eviction] : evictions_) {
    if (!eviction.condition || !dependencies_.taint_is_settled(*eviction.condition)) continue;
    eviction.steps.TaintSettled(now);
    eviction.condition.reset();
  }
}

bool ClusterEvictions::HasRoom() const {
  return under_way_.size() + kCallsOfOne <= kMostCalls;
}

// The eviction that has been due for longest, so that pods which are refused again and again do not
// delay others.
ClusterEvictions::Evictions::iterator ClusterEvictions::MostUrgent(Instant now) {
  auto most = evictions_.end();
  std::optional<Instant> most_due;
  for (auto at = evictions_.begin(); at != evictions_.end(); ++at) {
    const auto due = at->second.steps.due();
    if (!due || *due > now || (most_due && *most_due <= *due)) continue;
    most = at;
    most_due = due;
  }
  return most;
}

void ClusterEvictions::Drive(Instant now) {
  SettleTaints(now);
  while (HasRoom()) {
    const auto at = MostUrgent(now);
    if (at == evictions_.end()) return;
    for (kube::EvictionCall& call : at->second.steps.TakeCalls(now, dependencies_.clock.Wall())) {
      Ask(at->first, at->second.steps.intent().uid, std::move(call));
    }
    EndIfOver(at);
  }
}

void ClusterEvictions::Ask(std::uint64_t eviction, const std::string& uid,
                           kube::EvictionCall call) {
  const std::uint64_t id = next_id_++;
  under_way_.insert(id);
  caller_.Ask(
      std::move(call.call), call.timeout,
      [this, id, eviction, uid, purpose = call.purpose](const Result<kube::ApiReply>& reply) {
        Take(id, eviction, purpose, kube::OutcomeOf(reply, {.kind = "Pod", .uid = uid}));
      });
}

void ClusterEvictions::Take(std::uint64_t call, std::uint64_t eviction, kube::CallPurpose purpose,
                            const kube::Outcome& outcome) {
  if (under_way_.erase(call) == 0) return;
  caller_.Complain(purpose, outcome);
  const Instant now = dependencies_.clock.Now();
  if (const auto at = evictions_.find(eviction); at != evictions_.end()) {
    at->second.steps.Take(purpose, outcome, now);
    EndIfOver(at);
  }
  Drive(now);
}

// A pod that was given up may have been started again under the same UID, and be evicted again.
void ClusterEvictions::EndIfOver(Evictions::iterator at) {
  const auto end = at->second.steps.end();
  if (!end) return;
  const kube::EvictionIntent intent = at->second.steps.intent();
  evictions_.erase(at);
  ++changes_.all;
  const std::string pod = intent.namespace_ + "/" + intent.name;
  if (*end == kube::EvictionEnd::kGivenUp) {
    dependencies_.log.Warn(WordsOf(*end), {{"pod", pod}, {"uid", intent.uid}});
  } else {
    remembered_.push_back(intent.uid);
    if (remembered_.size() > kMostRemembered) remembered_.pop_front();
    dependencies_.log.Info(WordsOf(*end), {{"pod", pod}, {"uid", intent.uid}});
  }
  dependencies_.on_over(intent, *end);
}

std::optional<Instant> ClusterEvictions::NextDeadline() const {
  if (!earlier_.empty()) return dependencies_.clock.Now();
  std::optional<Instant> next;
  if (!HasRoom()) return next;
  for (const auto& [id, eviction] : evictions_) next = Earliest({next, eviction.steps.due()});
  return next;
}

std::vector<kube::EvictionIntent> ClusterEvictions::Unfinished() const {
  std::vector<kube::EvictionIntent> intents = earlier_;
  for (const auto& [id, eviction] : evictions_) intents.push_back(eviction.steps.intent());
  return intents;
}

}  // namespace jettison
