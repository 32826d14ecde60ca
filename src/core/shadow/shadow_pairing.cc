#include "core/shadow/shadow_pairing.h"

#include <algorithm>
#include <array>
#include <utility>

namespace jettison {

std::optional<ShadowVerdict> ShadowVerdictNamed(std::string_view name) {
  const auto at = std::ranges::find(kAllShadowVerdicts, name,
                                    [](ShadowVerdict verdict) { return NameOf(verdict); });
  return at == kAllShadowVerdicts.end() ? std::nullopt : std::optional(*at);
}

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

namespace {

// "The node was low on resource: memory. Threshold quantity: ..."
constexpr std::string_view kNodeLow = "The node was low on resource: ";

// The beginnings of its messages about a pod that it did not admit, with and without the phrase
// that kubelets prepend.
constexpr auto kRejections = std::to_array<std::string_view>(
    {"Pod was rejected", "Pod The node had condition", "The node had condition"});

}  // namespace

KubeletCause KubeletCauseOf(std::string_view message) {
  if (message.starts_with(kNodeLow)) {
    const std::string_view rest = message.substr(kNodeLow.size());
    return {.is_of_node = true, .resource = ResourceNamed(rest.substr(0, rest.find('.')))};
  }
  return {
      .is_rejection = std::ranges::any_of(
          kRejections, [message](std::string_view begin) { return message.starts_with(begin); }),
      .resource = {}};
}

}  // namespace jettison
