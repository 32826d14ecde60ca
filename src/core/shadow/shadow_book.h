#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/model/signal.h"
#include "core/shadow/shadow_pairing.h"
#include "core/units/duration.h"

namespace jettison {

// Jettison would have evicted a pod now: an order that ended as kDryRun.
struct ShadowIntent {
  Instant at;
  ShadowPod pod;
  std::optional<Signal> signal;  // CycleReport::acting_for; absent: a storage limit of the pod
  std::string message;           // EvictionOrder::message
};

// The kubelet has evicted a pod: its phase has become Failed, with reason Evicted.
struct KubeletEviction {
  Instant at;  // when that was seen; or, where its condition DisruptionTarget tells, when it was
  ShadowPod pod;
  std::string message;  // status.message
};

// Compares whom Jettison would have evicted with whom the kubelet evicts. Use:
//
//   ShadowBook book;
//   book.NoteOurs({...});      // after a pass: for each eviction of its report with kDryRun
//   book.NoteKubelets({...});  // the watch: a pod has become Failed, reason Evicted
//   book.NoteGone(uid, now);   // the watch: a pod is deleted, or ended in another way
//   book.Advance(now);         // each turn; NextDeadline says when it is due
//   book.View(now)             // for metrics, `jettison shadow`, the dashboard
//
// Times need not be in order, but what is over is judged by the latest one. What a first list of
// the watch has of pods that were evicted before must not be noted: nobody was there to foresee it.
class ShadowBook {
 public:
  struct Limits {
    Duration window = std::chrono::seconds(60);  // how far apart two sides of a pairing may be
    std::size_t open = 64;                       // of each side; the oldest is judged early
    std::size_t pairings = 100;                  // that are kept to be shown
    std::size_t evicted = 256;                   // pods that are known to have been evicted
    std::size_t message = 1024;                  // bytes that are kept of one
  };

  ShadowBook() = default;
  explicit ShadowBook(const Limits& limits) : limits_(limits) {}

  // The first note of a pod and a resource counts; each further one keeps the intent open.
  void NoteOurs(ShadowIntent intent);
  // A pod is counted once, however often it is noted. One that was only rejected is passed over.
  void NoteKubelets(KubeletEviction eviction);
  // The pod ended, and the kubelet did not evict it.
  void NoteGone(const std::string& uid, Instant at);
  // Judges what has waited long enough.
  void Advance(Instant now);
  // When something is due; absent: nothing waits.
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  [[nodiscard]] const ShadowCounters& counters() const { return counters_; }
  // Another number whenever View may have changed by anything but time.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  [[nodiscard]] ShadowView View(Instant now) const;

 private:
  // An intent of ours.
  struct Intent {
    ShadowSide side;
    Instant last;        // the last note of it
    bool spent = false;  // it has been judged, and is remembered so that it is not noted anew
  };

  [[nodiscard]] Intent* Find(const ShadowSide& side);
  // Ours of that pod: the one for the same resource, else the earliest.
  [[nodiscard]] const Intent* IntentOf(const std::string& uid,
                                       const std::optional<Resource>& resource) const;
  // The oldest for the same resource that has not been judged.
  [[nodiscard]] Intent* Rival(const std::optional<Resource>& resource);
  [[nodiscard]] bool WasEvicted(const std::string& uid) const;
  void AddIntent(Intent intent);
  void AddKubelets(ShadowSide side);
  // Pairs ours with what the kubelet has done before it; whether there was something.
  [[nodiscard]] bool PairWithEarlier(const ShadowSide& ours);
  void ForgetIntentsOf(const std::string& uid);
  void RememberEvicted(const std::string& uid);
  void Conclude(ShadowPairing pairing);

  Limits limits_;
  std::vector<Intent> intents_;       // by first note
  std::vector<ShadowSide> kubelets_;  // that wait for ours, by time of note
  std::deque<std::string> evicted_;   // UIDs
  std::deque<ShadowPairing> pairings_;
  ShadowCounters counters_;
  std::uint64_t changes_ = 0;
};

}  // namespace jettison
