#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/model/signal.h"
#include "core/shadow/shadow_pairing.h"
#include "core/units/duration.h"

namespace jettison {

// Compares the pods that Jettison would have evicted with those that the kubelet evicts. Use:
//
//   ShadowBook book;
//   book.NoteOurs({...});      // after a pass: for each eviction of its report with kDryRun
//   book.NoteKubelets({...});  // the watch: a pod has become Failed, reason Evicted
//   book.NoteGone(uid, now);   // the watch: a pod is deleted, or ended in another way
//   book.Advance(now);         // each turn; NextDeadline says when it is due
//   book.View(now)             // for metrics, `jettison shadow`, the dashboard
//
// Times need not be in order, but the window of a pairing ends by the latest one. Pods that were
// evicted already when the watch listed them first must not be noted: Jettison did not run then.
class ShadowBook {
 public:
  // The most time between the two sides of a pairing.
  static constexpr Duration kWindow = std::chrono::seconds(60);
  static constexpr std::size_t kMostOpen = 64;       // of each side; the oldest is judged early
  static constexpr std::size_t kMostPairings = 100;  // that are shown
  static constexpr std::size_t kMostEvicted = 256;   // pods that are known to have been evicted
  static constexpr std::size_t kMessageBytes = 1024;

  // Jettison would have evicted a pod now: an order that ended as kDryRun. The first note of a pod
  // and a resource opens an intent; each further one keeps it open. The resource is that of the
  // signal.
  void NoteOurs(ShadowSide side);
  // The kubelet has evicted a pod: its phase has become Failed, with reason Evicted. The time is
  // when that was seen; or, where its condition DisruptionTarget tells, when it was. The message
  // says what for. A pod is counted once, however often it is noted; one that was only rejected is
  // passed over.
  void NoteKubelets(ShadowSide side);
  // The pod ended, and the kubelet did not evict it.
  void NoteGone(const std::string& uid, Instant at);
  // Concludes the intents and evictions whose window is over.
  void Advance(Instant now);
  // When something is due; absent: nothing waits.
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  [[nodiscard]] const ShadowCounters& counters() const { return counters_; }
  [[nodiscard]] ShadowView View(Instant now) const;

 private:
  // What one side did, or would have done, and the other has not done yet.
  struct Open {
    ShadowSide side;
    Instant last;        // the last note of it
    bool spent = false;  // ours: concluded; it stays so that it is not opened again
  };
  using Opens = std::vector<Open>;  // by first note

  // Our intent for that pod: the one for the same resource, else the earliest.
  [[nodiscard]] Open* IntentOf(const std::string& uid, const std::optional<Resource>& resource);
  // The oldest intent for the same resource that has not been concluded.
  [[nodiscard]] Open* Rival(const std::optional<Resource>& resource);
  [[nodiscard]] bool WasEvicted(const std::string& uid) const;
  void Add(Open open, Opens& to);
  // Pairs our intent with an earlier eviction of the kubelet. Returns whether there was one.
  [[nodiscard]] bool PairWithEarlier(const ShadowSide& ours);
  void ForgetIntentsOf(const std::string& uid);
  void Conclude(ShadowPairing pairing);
  // The other side did nothing.
  void ConcludeAlone(const Open& open, const Opens& from, Instant now, bool pod_ended = false);

  Opens intents_;                    // ours
  Opens kubelets_;                   // that wait for ours
  std::deque<std::string> evicted_;  // UIDs
  std::deque<ShadowPairing> pairings_;
  ShadowCounters counters_;
};

}  // namespace jettison
