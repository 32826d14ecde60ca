#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json_writer.h"
#include "core/model/pod.h"
#include "core/model/signal.h"
#include "core/text/enum_names.h"
#include "core/units/duration.h"

namespace jettison {

// What one of the two agents did, or would have done.
struct ShadowSide {
  Instant at;  // ours: when it was first chosen
  PodIdentity pod;
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
// In JSON and as the label `kind` of a metric.
template <>
inline constexpr auto kNamesOf<ShadowVerdict> = EnumNames("agreed", "late", "otherVictim",
                                                          "oursAlone", "kubeletsAlone");

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
  std::array<std::uint64_t, kAllOf<ShadowVerdict>.size()> by_verdict{};
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

// The state of a ShadowBook as a value, for onlookers.
struct ShadowView {
  Instant at;
  ShadowCounters counters;
  std::optional<std::int32_t> agreement;  // hundredths of a percent; absent: there is no pairing
  std::vector<ShadowPairing> pairings;    // the last ones, the newest last
  std::vector<ShadowSide> open;           // ours that wait for the kubelet, the oldest first
  std::vector<ShadowSide> kubelets_open;  // the kubelet's that wait for ours, the oldest first
};

// What the kubelet's message about an eviction says.
struct KubeletCause {
  bool is_rejection = false;         // the pod was never admitted: nothing of it has run
  std::optional<Resource> resource;  // that the node was low on, where it is known
};

// The cause by the message of a pod's status, where its phase is Failed and its reason Evicted.
// (kubelet 1.36: eviction/helpers.go nodeLowMessageFmt, eviction_manager.go, kubelet.go rejectPod)
[[nodiscard]] KubeletCause KubeletCauseOf(std::string_view message);

// Compares the pods that Jettison would have evicted with those that the kubelet evicts. What one
// side did and the other has not done yet stays open for the window; a pair of the same pod, or
// else of the same resource, is concluded at once.
//
// Times need not be in order, but the window of a pairing ends by the latest one. Pods that were
// evicted already when the watch listed them first must not be noted: Jettison did not run then.
class ShadowBook {
 public:
  // The most time between the two sides of a pairing.
  static constexpr Duration kWindow = std::chrono::seconds(60);
  static constexpr std::size_t kMostOpen = 64;       // of each side; the oldest is judged early
  static constexpr std::size_t kMostPairings = 100;  // that are shown
  static constexpr std::size_t kMessageBytes = 1024;

  // Jettison would have evicted a pod now: an order that ended as kDryRun. The first note of a pod
  // and a resource opens an intent; each further one keeps it open. The resource is that of the
  // signal.
  void NoteOurs(ShadowSide side);
  // The kubelet has evicted a pod, which is noted once: its phase has become Failed, with reason
  // Evicted. The time is when that was seen; or, where its condition DisruptionTarget tells, when
  // it was. The message says what for. One that was only rejected is passed over.
  void NoteKubelets(ShadowSide side);
  // The pod ended, and the kubelet did not evict it, or it is deleted.
  void NoteGone(const std::string& uid, Instant at);
  // Concludes what is open and whose window is over. Called in each turn (NextDeadline).
  void Advance(Instant now);
  // When something is due; absent: nothing waits.
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  [[nodiscard]] const ShadowCounters& counters() const { return counters_; }
  [[nodiscard]] ShadowView View(Instant now) const;

 private:
  // What one side did, or would have done.
  struct Open {
    ShadowSide side;
    Instant last;  // the last note of it
    bool is_ours = false;
    bool spent = false;  // ours: concluded; it stays so that it is not opened again
  };
  using Opens = std::vector<Open>;

  // What the other side did: to the same pod (for the same resource, if there are several), else
  // the oldest that is not concluded for the same resource.
  [[nodiscard]] Opens::iterator CounterpartOf(const Open& open);
  void Add(Open open);
  void Conclude(ShadowPairing pairing);
  // The other side did nothing.
  void ConcludeAlone(const Open& open, Instant now, bool pod_ended = false);

  Opens open_;  // of both sides, by first note
  std::deque<ShadowPairing> pairings_;
  ShadowCounters counters_;
};

// The fields of the comparison with the kubelet as it is written and as the program's commands read
// it, in their order.

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
  for (const ShadowVerdict verdict : kAllOf<ShadowVerdict>) {
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
