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

// The verdict depends on the pods and the times.
ShadowPairing PairingOf(const ShadowSide& ours, const ShadowSide& kubelets, Instant decided_at) {
  ShadowPairing pairing{.decided_at = decided_at, .verdict = ShadowVerdict::kOtherVictim};
  pairing.lead = Elapsed(ours.at, kubelets.at);
  if (ours.pod.uid == kubelets.pod.uid) {
    pairing.verdict =
        *pairing.lead < Duration::zero() ? ShadowVerdict::kLate : ShadowVerdict::kAgreed;
  }
  if (ours.resource && kubelets.resource) {
    pairing.same_reason = *ours.resource == *kubelets.resource;
  }
  pairing.ours = ours;
  pairing.kubelets = kubelets;
  return pairing;
}

std::optional<std::int32_t> AgreementOf(const ShadowCounters& counters) {
  constexpr std::uint64_t kWhole = 10'000;
  std::uint64_t all = 0;
  for (const std::uint64_t some : counters.by_verdict) all += some;
  if (all == 0) return std::nullopt;
  return static_cast<std::int32_t>(counters.Of(ShadowVerdict::kAgreed) * kWhole / all);
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

KubeletCause KubeletCauseOf(std::string_view message) {
  if (message.starts_with(kNodeLow)) {
    const std::string_view rest = message.substr(kNodeLow.size());
    return {.resource = EnumeratorNamed<Resource>(rest.substr(0, rest.find('.')))};
  }
  return {
      .is_rejection = std::ranges::any_of(
          kRejections, [message](std::string_view begin) { return message.starts_with(begin); }),
      .resource = {}};
}

ShadowBook::Opens::iterator ShadowBook::CounterpartOf(const Open& open) {
  auto best = open_.end();
  int best_match = 0;
  for (auto at = open_.begin(); at != open_.end(); ++at) {
    if (at->is_ours == open.is_ours) continue;
    const bool is_same_resource = at->side.resource == open.side.resource;
    const bool is_rival = is_same_resource && open.side.resource && !at->spent;
    int match = is_rival ? 1 : 0;
    if (at->side.pod.uid == open.side.pod.uid) match = is_same_resource ? 3 : 2;
    if (match > best_match) best = at, best_match = match;
  }
  return best;
}

void ShadowBook::NoteOurs(ShadowSide side) {
  Advance(side.at);
  side.message = Shortened(side.message, kMessageBytes);
  if (side.signal) side.resource = ResourceOf(*side.signal);
  const auto known = std::ranges::find_if(open_, [&side](const Open& open) {
    return open.is_ours && open.side.pod.uid == side.pod.uid && open.side.resource == side.resource;
  });
  if (known != open_.end()) {
    known->last = std::max(known->last, side.at);
    ++known->side.notes;
    return;
  }
  Open ours{.side = std::move(side), .last = {}, .is_ours = true};
  ours.last = ours.side.at;
  const auto theirs = CounterpartOf(ours);
  if (theirs != open_.end()) {
    Conclude(PairingOf(ours.side, theirs->side, ours.last));
    open_.erase(theirs);
    ours.spent = true;
  }
  Add(std::move(ours));
}

void ShadowBook::NoteKubelets(ShadowSide side) {
  Advance(side.at);
  const KubeletCause cause = KubeletCauseOf(side.message);
  if (cause.is_rejection) return;
  side.resource = cause.resource;
  side.message = Shortened(side.message, kMessageBytes);
  Open theirs{.side = std::move(side), .last = {}};
  theirs.last = theirs.side.at;
  const auto ours = CounterpartOf(theirs);
  if (ours == open_.end()) return Add(std::move(theirs));
  Conclude(PairingOf(ours->side, theirs.side, theirs.last));
  ours->spent = true;
  // Whatever else we would have evicted that pod for is settled, too.
  for (Open& open : open_) open.spent = open.spent || open.side.pod.uid == theirs.side.pod.uid;
}

void ShadowBook::NoteGone(const std::string& uid, Instant at) {
  Advance(at);
  const auto is_of_pod = [&uid](const Open& open) {
    return open.is_ours && open.side.pod.uid == uid;
  };
  for (const Open& open : open_) {
    if (is_of_pod(open)) ConcludeAlone(open, at, true);
  }
  std::erase_if(open_, is_of_pod);
}

void ShadowBook::Advance(Instant now) {
  const auto is_over = [now](const Open& open) { return Elapsed(open.last, now) > kWindow; };
  for (const Open& open : open_) {
    if (is_over(open)) ConcludeAlone(open, now);
  }
  std::erase_if(open_, is_over);
}

std::optional<Instant> ShadowBook::NextDeadline() const {
  if (open_.empty()) return std::nullopt;
  // Just after the window, because its end still belongs to it.
  return std::ranges::min_element(open_, {}, &Open::last)->last + kWindow + Duration(1);
}

void ShadowBook::Add(Open open) {
  const auto is_of_side = [&open](const Open& other) { return other.is_ours == open.is_ours; };
  if (static_cast<std::size_t>(std::ranges::count_if(open_, is_of_side)) >= kMostOpen) {
    const auto oldest = std::ranges::find_if(open_, is_of_side);
    ConcludeAlone(*oldest, open.side.at);
    open_.erase(oldest);
  }
  open_.push_back(std::move(open));
}

void ShadowBook::Conclude(ShadowPairing pairing) {
  counters_.Count(pairing);
  if (pairings_.size() >= kMostPairings) pairings_.pop_front();
  pairings_.push_back(std::move(pairing));
}

void ShadowBook::ConcludeAlone(const Open& open, Instant now, bool pod_ended) {
  if (open.spent) return;
  ShadowPairing pairing{.decided_at = now, .pod_ended = pod_ended};
  pairing.verdict = open.is_ours ? ShadowVerdict::kOursAlone : ShadowVerdict::kKubeletsAlone;
  (open.is_ours ? pairing.ours : pairing.kubelets) = open.side;
  Conclude(std::move(pairing));
}

ShadowView ShadowBook::View(Instant now) const {
  ShadowView view{.at = now, .counters = counters_, .agreement = AgreementOf(counters_)};
  view.pairings.assign(pairings_.begin(), pairings_.end());
  for (const Open& open : open_) {
    if (!open.spent) (open.is_ours ? view.open : view.kubelets_open).push_back(open.side);
  }
  return view;
}

}  // namespace jettison
