#include "agent/cluster/cluster_evictions.h"

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

ClusterEvictions::ClusterEvictions(const ClusterAccess& access, IsSettled taint_is_settled,
                                   OnOver on_over)
    : caller_(access),
      taint_is_settled_(std::move(taint_is_settled)),
      on_over_(std::move(on_over)) {}

void ClusterEvictions::Begin(kube::EvictionIntent intent,
                             std::optional<NodeConditionType> condition, Instant now) {
  if (IsUnderWay(intent.uid)) return;
  Add(std::move(intent), condition, now, condition ? now + kube::PodEviction::kTaintPatience : now);
  Advance(now);
}

void ClusterEvictions::Add(kube::EvictionIntent intent, std::optional<NodeConditionType> condition,
                           Instant evicted_at, Instant delete_due) {
  std::erase_if(remembered_, [&](const Over& over) { return over.intent.uid == intent.uid; });
  evictions_.emplace(next_id_++,
                     Eviction{.steps = kube::PodEviction(std::move(intent), evicted_at, delete_due),
                              .condition = condition});
  ++changes_.evictions;
}

bool ClusterEvictions::IsUnderWay(std::string_view uid) const {
  return std::ranges::any_of(
      evictions_, [uid](const auto& entry) { return entry.second.steps.intent().uid == uid; });
}

std::deque<ClusterEvictions::Over>::const_iterator ClusterEvictions::FindOver(
    std::string_view uid) const {
  return std::ranges::find_if(remembered_,
                              [uid](const Over& over) { return over.intent.uid == uid; });
}

bool ClusterEvictions::IsEvicted(std::string_view uid) const {
  return IsUnderWay(uid) || FindOver(uid) != remembered_.end();
}

// The group is held, so the kubelet cannot run the pod before that has succeeded, or is given up.
void ClusterEvictions::DeleteAgain(std::string_view uid, Instant now) {
  const auto over = FindOver(uid);
  if (over == remembered_.end() || now < over->since + kMayBeOld) return;
  const kube::EvictionIntent intent = over->intent;
  caller_.log().Warn(
      "the API server has confirmed the deletion of an evicted pod, but does not delete it; the "
      "agent deletes it again",
      {{"pod", intent.namespace_ + "/" + intent.name}, {"uid", intent.uid}});
  Begin(intent, std::nullopt, now);
}

std::vector<kube::EvictionIntent> ClusterEvictions::Resume(
    std::vector<kube::EvictionIntent> earlier, Instant now) {
  std::erase_if(earlier, [this](const kube::EvictionIntent& intent) {
    return IsEvicted(intent.uid) || DropOfEarlierBoot(intent);
  });
  for (const kube::EvictionIntent& intent : earlier) {
    Add(intent, std::nullopt, InstantOf(intent.evicted_at, caller_.clock()), now);
  }
  return earlier;
}

// Nothing that ran before a boot still runs after it, nor is its group held. The kubelet starts the
// pod afresh on a node whose shortage is over.
bool ClusterEvictions::DropOfEarlierBoot(const kube::EvictionIntent& intent) {
  const std::string boot_id = caller_.clock().Mark().boot_id;
  if (intent.boot_id.empty() || boot_id.empty() || intent.boot_id == boot_id) return false;
  ++changes_.all;
  caller_.log().Warn(
      "the machine was restarted before the eviction of a pod was reported to the API server; the "
      "kubelet starts the pod afresh, and it is not evicted",
      {{"pod", intent.namespace_ + "/" + intent.name}, {"uid", intent.uid}});
  return true;
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

void ClusterEvictions::Advance(Instant now) {
  for (auto& [id, eviction] : evictions_) {
    if (!eviction.condition || !taint_is_settled_(*eviction.condition)) continue;
    eviction.steps.TaintSettled(now);
    eviction.condition.reset();
  }
  while (HasRoom()) {
    const auto at = MostUrgent(now);
    if (at == evictions_.end()) return;
    for (kube::EvictionCall& call : at->second.steps.TakeCalls(now, caller_.clock().Wall())) {
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
  const Instant now = caller_.clock().Now();
  if (const auto at = evictions_.find(eviction); at != evictions_.end()) {
    at->second.steps.Take(purpose, outcome, now);
    EndIfOver(at);
  }
  Advance(now);
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
    caller_.log().Warn(WordsOf(*end), {{"pod", pod}, {"uid", intent.uid}});
  } else {
    remembered_.push_back({.intent = intent, .since = caller_.clock().Now()});
    if (remembered_.size() > kMostRemembered) remembered_.pop_front();
    caller_.log().Info(WordsOf(*end), {{"pod", pod}, {"uid", intent.uid}});
  }
  on_over_(intent, *end);
}

std::optional<Instant> ClusterEvictions::NextDeadline() const {
  std::optional<Instant> next;
  if (!HasRoom()) return next;
  for (const auto& [id, eviction] : evictions_) next = Earliest({next, eviction.steps.due()});
  return next;
}

std::vector<kube::EvictionIntent> ClusterEvictions::Unfinished() const {
  std::vector<kube::EvictionIntent> intents;
  for (const auto& [id, eviction] : evictions_) intents.push_back(eviction.steps.intent());
  return intents;
}

}  // namespace jettison
