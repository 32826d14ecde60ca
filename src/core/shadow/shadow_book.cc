#include "core/shadow/shadow_book.h"

#include <algorithm>
#include <utility>

#include "core/model/fault.h"

namespace jettison {
namespace {

// "The node was low on resource: memory. Threshold quantity: ..."
constexpr std::string_view kNodeLow = "The node was low on resource: ";

// The beginnings of its messages about a pod that it did not admit, with and without the phrase
// that kubelets prepend.
constexpr auto kRejections = std::to_array<std::string_view>(
    {"Pod was rejected", "Pod The node had condition", "The node had condition"});

bool IsOver(Instant since, Instant now) {
  return Elapsed(since, now) > ShadowBook::kWindow;
}

// The verdict depends on the pods and the times.
ShadowPairing PairingOf(ShadowSide ours, ShadowSide kubelets, Instant decided_at) {
  ShadowPairing pairing{.decided_at = decided_at, .verdict = ShadowVerdict::kOtherVictim};
  pairing.lead = Elapsed(ours.at, kubelets.at);
  if (ours.pod.uid == kubelets.pod.uid) {
    pairing.verdict =
        *pairing.lead < Duration::zero() ? ShadowVerdict::kLate : ShadowVerdict::kAgreed;
  }
  if (ours.resource && kubelets.resource) {
    pairing.same_reason = *ours.resource == *kubelets.resource;
  }
  pairing.ours = std::move(ours);
  pairing.kubelets = std::move(kubelets);
  return pairing;
}

}  // namespace

void ShadowCounters::Count(const ShadowPairing& pairing) {
  ++by_verdict[static_cast<std::size_t>(pairing.verdict)];
  if (pairing.verdict != ShadowVerdict::kAgreed) return;
  if (!pairing.same_reason.value_or(true)) ++other_reasons;
  const Duration lead = pairing.lead.value_or(Duration::zero());
  const auto bound = std::ranges::lower_bound(kShadowLeadBounds, lead);
  ++lead_classes[static_cast<std::size_t>(bound - kShadowLeadBounds.begin())];
  lead_sum += lead;
  shortest_lead = std::min(shortest_lead.value_or(lead), lead);
  longest_lead = std::max(longest_lead.value_or(lead), lead);
}

std::optional<std::int32_t> AgreementOf(const ShadowCounters& counters) {
  constexpr std::uint64_t kWhole = 10'000;
  std::uint64_t all = 0;
  for (const std::uint64_t some : counters.by_verdict) all += some;
  if (all == 0) return std::nullopt;
  return static_cast<std::int32_t>(counters.Of(ShadowVerdict::kAgreed) * kWhole / all);
}

KubeletCause KubeletCauseOf(std::string_view message) {
  if (message.starts_with(kNodeLow)) {
    const std::string_view rest = message.substr(kNodeLow.size());
    return {.is_of_node = true,
            .resource = EnumeratorNamed<Resource>(rest.substr(0, rest.find('.')))};
  }
  return {
      .is_rejection = std::ranges::any_of(
          kRejections, [message](std::string_view begin) { return message.starts_with(begin); }),
      .resource = {}};
}

ShadowBook::Open* ShadowBook::IntentOf(const std::string& uid,
                                       const std::optional<Resource>& resource) {
  Open* earliest = nullptr;
  for (Open& intent : intents_) {
    if (intent.side.pod.uid != uid) continue;
    if (intent.side.resource == resource) return &intent;
    if (earliest == nullptr) earliest = &intent;
  }
  return earliest;
}

ShadowBook::Open* ShadowBook::Rival(const std::optional<Resource>& resource) {
  const auto at = std::ranges::find_if(intents_, [&resource](const Open& intent) {
    return resource && !intent.spent && intent.side.resource == resource;
  });
  return at == intents_.end() ? nullptr : &*at;
}

bool ShadowBook::WasEvicted(const std::string& uid) const {
  return std::ranges::find(evicted_, uid) != evicted_.end();
}

void ShadowBook::NoteOurs(ShadowSide side) {
  Advance(side.at);
  side.message = Shortened(side.message, kMessageBytes);
  if (side.signal) side.resource = ResourceOf(*side.signal);
  Open* const known = IntentOf(side.pod.uid, side.resource);
  if (known != nullptr && known->side.resource == side.resource) {
    known->last = std::max(known->last, side.at);
    ++known->side.notes;
    return;
  }
  const bool is_paired = PairWithEarlier(side);
  if (WasEvicted(side.pod.uid)) return;
  const Instant last = side.at;
  Add({.side = std::move(side), .last = last, .spent = is_paired}, intents_);
}

bool ShadowBook::PairWithEarlier(const ShadowSide& ours) {
  auto earlier = std::ranges::find_if(
      kubelets_, [&ours](const Open& open) { return open.side.pod.uid == ours.pod.uid; });
  // If the kubelet has evicted the same pod, the choices do not differ.
  if (earlier == kubelets_.end() && ours.resource && !WasEvicted(ours.pod.uid)) {
    earlier = std::ranges::find_if(
        kubelets_, [&ours](const Open& open) { return open.side.resource == ours.resource; });
  }
  if (earlier == kubelets_.end()) return false;
  ShadowSide kubelets = std::move(earlier->side);
  kubelets_.erase(earlier);
  Conclude(PairingOf(ours, std::move(kubelets), ours.at));
  return true;
}

void ShadowBook::NoteKubelets(ShadowSide side) {
  Advance(side.at);
  const KubeletCause cause = KubeletCauseOf(side.message);
  if (cause.is_rejection || WasEvicted(side.pod.uid)) return;
  if (evicted_.size() >= kMostEvicted) evicted_.pop_front();
  evicted_.push_back(side.pod.uid);
  side.resource = cause.resource;
  side.message = Shortened(side.message, kMessageBytes);
  const Instant at = side.at;
  if (const Open* const ours = IntentOf(side.pod.uid, side.resource)) {
    const std::string uid = side.pod.uid;
    Conclude(PairingOf(ours->side, std::move(side), at));
    ForgetIntentsOf(uid);
  } else if (Open* const rival = Rival(side.resource)) {
    rival->spent = true;
    Conclude(PairingOf(rival->side, std::move(side), at));
  } else {
    Add({.side = std::move(side), .last = at}, kubelets_);
  }
}

void ShadowBook::NoteGone(const std::string& uid, Instant at) {
  Advance(at);
  for (const Open& intent : intents_) {
    if (intent.side.pod.uid == uid) ConcludeAlone(intent, intents_, at, true);
  }
  ForgetIntentsOf(uid);
}

void ShadowBook::Advance(Instant now) {
  for (Opens* const opens : {&intents_, &kubelets_}) {
    for (const Open& open : *opens) {
      if (IsOver(open.last, now)) ConcludeAlone(open, *opens, now);
    }
    std::erase_if(*opens, [&](const Open& open) { return IsOver(open.last, now); });
  }
}

std::optional<Instant> ShadowBook::NextDeadline() const {
  std::optional<Instant> oldest;
  for (const Opens* const opens : {&intents_, &kubelets_}) {
    for (const Open& open : *opens) oldest = Earliest({oldest, open.last});
  }
  if (!oldest) return std::nullopt;
  // Just after the window, because its end still belongs to it.
  return *oldest + kWindow + Duration(1);
}

void ShadowBook::Add(Open open, Opens& to) {
  if (to.size() >= kMostOpen) {
    ConcludeAlone(to.front(), to, open.side.at);
    to.erase(to.begin());
  }
  to.push_back(std::move(open));
}

void ShadowBook::ForgetIntentsOf(const std::string& uid) {
  std::erase_if(intents_, [&uid](const Open& intent) { return intent.side.pod.uid == uid; });
}

void ShadowBook::Conclude(ShadowPairing pairing) {
  counters_.Count(pairing);
  if (pairings_.size() >= kMostPairings) pairings_.pop_front();
  pairings_.push_back(std::move(pairing));
}

void ShadowBook::ConcludeAlone(const Open& open, const Opens& from, Instant now, bool pod_ended) {
  if (open.spent) return;
  const bool is_ours = &from == &intents_;
  Conclude({.decided_at = now,
            .verdict = is_ours ? ShadowVerdict::kOursAlone : ShadowVerdict::kKubeletsAlone,
            .ours = is_ours ? std::optional(open.side) : std::nullopt,
            .kubelets = is_ours ? std::nullopt : std::optional(open.side),
            .pod_ended = pod_ended});
}

ShadowView ShadowBook::View(Instant now) const {
  ShadowView view{.at = now, .counters = counters_, .agreement = AgreementOf(counters_)};
  view.pairings.assign(pairings_.begin(), pairings_.end());
  for (const Open& intent : intents_) {
    if (!intent.spent) view.open.push_back(intent.side);
  }
  for (const Open& open : kubelets_) view.kubelets_open.push_back(open.side);
  return view;
}

}  // namespace jettison
