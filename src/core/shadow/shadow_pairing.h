#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/json/json_writer.h"
#include "core/model/signal.h"
#include "core/units/duration.h"

namespace jettison {

// The pod of an eviction.
struct ShadowPod {
  std::string uid;
  std::string namespace_;
  std::string name;
};

// What one of the two agents did, or would have done.
struct ShadowSide {
  Instant at;  // ours: when it was first chosen
  ShadowPod pod;
  std::optional<Signal> signal;  // ours alone know it; absent: a storage limit of the pod
  std::string message;           // EvictionOrder::message, or status.message
  std::optional<Resource> resource = std::nullopt;  // absent: a limit of its own, or not known
  int notes = 1;                                    // how often we named it
};

enum class ShadowVerdict : std::uint8_t {
  kAgreed,         // the same pod, and we were first
  kLate,           // the same pod, and the kubelet was first
  kOtherVictim,    // another pod each, for the same resource
  kOursAlone,      // the kubelet did nothing
  kKubeletsAlone,  // we did nothing
};
inline constexpr std::array kAllShadowVerdicts = {
    ShadowVerdict::kAgreed, ShadowVerdict::kLate, ShadowVerdict::kOtherVictim,
    ShadowVerdict::kOursAlone, ShadowVerdict::kKubeletsAlone};
// In JSON and as the label `kind` of a metric.
[[nodiscard]] constexpr std::string_view NameOf(ShadowVerdict verdict) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"agreed", "late", "otherVictim", "oursAlone", "kubeletsAlone"});
  return kNames[static_cast<std::size_t>(verdict)];
}
[[nodiscard]] std::optional<ShadowVerdict> ShadowVerdictNamed(std::string_view name);

// What we would have done beside what the kubelet did.
struct ShadowPairing {
  Instant decided_at;
  ShadowVerdict verdict = ShadowVerdict::kAgreed;
  std::optional<ShadowSide> ours;      // absent: kKubeletsAlone
  std::optional<ShadowSide> kubelets;  // absent: kOursAlone
  bool pod_ended = false;              // kOursAlone: the pod was gone otherwise
  // By how much we were earlier; negative: later. Absent where one side did nothing.
  std::optional<Duration> lead;
  // Whether both acted for the same resource; absent where one of them is not known.
  std::optional<bool> same_reason;
};
// Pairs two sides. The verdict depends on the pods and the times.
[[nodiscard]] ShadowPairing PairingOf(ShadowSide ours, ShadowSide kubelets, Instant decided_at);

// Upper bounds of the classes that leads are counted in. The kubelet looks every 10 s.
inline constexpr std::array<Duration, 12> kShadowLeadBounds = {
    std::chrono::milliseconds(100), std::chrono::milliseconds(500), std::chrono::seconds(1),
    std::chrono::seconds(2),        std::chrono::seconds(5),        std::chrono::seconds(10),
    std::chrono::seconds(20),       std::chrono::seconds(30),       std::chrono::seconds(60),
    std::chrono::minutes(5),        std::chrono::minutes(30),       std::chrono::hours(2)};

// Counters since the start, for metrics. jettison_shadow_agreements_total is Of(kAgreed),
// jettison_shadow_disagreements_total{kind=...} each of the others, and the histogram
// jettison_shadow_lead_seconds has the bounds above.
struct ShadowCounters {
  std::array<std::uint64_t, kAllShadowVerdicts.size()> by_verdict{};
  std::uint64_t other_reasons = 0;  // of the agreements: those for another resource
  std::array<std::uint64_t, kShadowLeadBounds.size() + 1> lead_classes{};  // of agreements
  Duration lead_sum{0};
  std::optional<Duration> shortest_lead;
  std::optional<Duration> longest_lead;

  [[nodiscard]] std::uint64_t Of(ShadowVerdict verdict) const {
    return by_verdict[static_cast<std::size_t>(verdict)];
  }
  void Count(const ShadowPairing& pairing);
};
// How many pairings agree, in hundredths of a percent; absent where there is none.
[[nodiscard]] std::optional<std::int32_t> AgreementOf(const ShadowCounters& counters);

// The state of a ShadowBook as a value, for onlookers.
struct ShadowView {
  Instant at;
  ShadowCounters counters;
  std::optional<std::int32_t> agreement;  // AgreementOf
  std::vector<ShadowPairing> pairings;    // the last ones, the newest last
  std::vector<ShadowSide> open;           // ours that wait for the kubelet, the oldest first
  std::vector<ShadowSide> kubelets_open;  // the kubelet's that wait for ours, the oldest first
};

// What the kubelet's message about an eviction says.
struct KubeletCause {
  bool is_of_node = false;           // the node was low on a resource
  bool is_rejection = false;         // the pod was never admitted: nothing of it has run
  std::optional<Resource> resource;  // that the node was low on, where it is known
};

// The cause by the message of a pod's status, where its phase is Failed and its reason Evicted.
// (kubelet 1.36: eviction/helpers.go nodeLowMessageFmt, eviction_manager.go, kubelet.go rejectPod)
[[nodiscard]] KubeletCause KubeletCauseOf(std::string_view message);

// The fields of the comparison with the kubelet as it is written and as the program's commands read
// it, in their order.

[[nodiscard]] inline std::optional<ShadowVerdict> EnumeratorNamed(
    std::type_identity<ShadowVerdict> /*tag*/, std::string_view name) {
  return ShadowVerdictNamed(name);
}

template <typename Archive, FormOf<ShadowSide> T>
void VisitFields(Archive& fields, T& side) {
  fields("at", side.at);
  fields("namespace", side.pod.namespace_);
  fields("name", side.pod.name);
  fields("uid", side.pod.uid);
  fields("signal", side.signal);
  fields("resource", side.resource);
  fields.UnlessEmpty("message", side.message);
  fields("notes", side.notes);
}

template <typename Archive, FormOf<ShadowPairing> T>
void VisitFields(Archive& fields, T& pairing) {
  fields("decidedAt", pairing.decided_at);
  fields("verdict", pairing.verdict);
  fields("leadSeconds", pairing.lead);
  fields("sameReason", pairing.same_reason);
  fields("podEnded", pairing.pod_ended);
  fields("ours", pairing.ours);
  fields("kubelets", pairing.kubelets);
}

template <typename Archive, FormOf<ShadowCounters> T>
void VisitFields(Archive& fields, T& counters) {
  for (const ShadowVerdict verdict : kAllShadowVerdicts) {
    fields(NameOf(verdict), counters.by_verdict[static_cast<std::size_t>(verdict)]);
  }
  fields("otherReasons", counters.other_reasons);
  fields("leadSumSeconds", counters.lead_sum);
  fields("shortestLeadSeconds", counters.shortest_lead);
  fields("longestLeadSeconds", counters.longest_lead);
}

template <typename Archive, FormOf<ShadowView> T>
void VisitFields(Archive& fields, T& view) {
  fields("at", view.at);
  fields.Share("agreementPercent", view.agreement);
  fields("counters", view.counters);
  fields("pairings", view.pairings);
  fields("open", view.open);
  fields("kubeletsOpen", view.kubelets_open);
}

// The comparison as JSON. Times are RFC 3339, durations seconds; what is not known is absent.
[[nodiscard]] inline std::string ShadowJson(const ShadowView& view) {
  std::string text;
  JsonWriter json(text);
  WriteForm(view, json);
  return text;
}

}  // namespace jettison
