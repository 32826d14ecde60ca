#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

#include "core/json/field_writer.h"
#include "core/shadow/shadow_pairing.h"

namespace jettison {

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
