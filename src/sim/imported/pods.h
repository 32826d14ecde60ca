#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/model/summary.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"
#include "sim/imported/tracks.h"

namespace jettison {

// What the user says of pods that no series tells.
struct PodAssumptions {
  // Absent: `standalone` where an agent tells of pods of its own, else `kubelet`.
  std::optional<Profile> profile;
  std::map<std::string, std::int32_t, std::less<>> priority_classes;  // beside those of the system
};

// The profile that holds, by what is told and by the series.
[[nodiscard]] Profile ProfileOf(const NodeTracks& tracks, const PodAssumptions& assumptions);

// A pod that was on the node, and its figures, each from the first series in the order of
// preference that there are.
class ImportedPod {
 public:
  // From when to when figures without a UID are this pod's, of those of its name.
  struct Span {
    Instant from = Instant::min();
    Instant to = Instant::max();
  };
  // `tracks` must outlive this. `facts` are as far as series tell of it.
  ImportedPod(const NodeTracks& tracks, std::shared_ptr<const PodFacts> facts, Span span);

  [[nodiscard]] const std::shared_ptr<const PodFacts>& facts() const { return facts_; }
  [[nodiscard]] const Pod& pod() const { return facts_->pod; }
  [[nodiscard]] bool has_memory() const { return !memory_.empty(); }
  [[nodiscard]] bool has_disk() const { return !disk_.empty(); }

  // The pod was evicted then: it is away until samples of it begin anew.
  void Evicted(Instant at);
  // Absent: it did not run at that moment.
  [[nodiscard]] std::optional<PodStats> At(Instant at) const;
  // When its memory was last sampled before; none: never.
  [[nodiscard]] std::optional<Instant> LastSampleBefore(Instant at) const;

 private:
  struct Absence {
    Instant from;
    std::optional<Instant> until;  // none: it never came back
  };
  struct DiskPart {
    std::string kind;       // "rootfs", "logs", "volumes"
    std::string container;  // empty: of the whole pod
    const Track* bytes = nullptr;
    const Track* inodes = nullptr;
  };
  // Figures whose sum is the pod's.
  using Parts = std::vector<const LabelledTrack*>;

  void FindMemory(const NodeTracks& tracks);
  void FindDisk(const NodeTracks& tracks);
  [[nodiscard]] bool IsThere(Instant at) const;
  // Whether something is known of it.
  [[nodiscard]] bool PutDisk(Instant at, PodStats& stats) const;

  std::shared_ptr<const PodFacts> facts_;
  Span span_;
  const Track* running_ = nullptr;  // kube_pod_status_phase; null: not known
  Parts memory_;
  Parts containers_;  // beside that
  Parts tasks_;
  std::vector<DiskPart> disk_;
  std::vector<Absence> absences_;
};

// All pods of a node, by namespace and name, and by time where two have the same. It notes what is
// missing of them. `tracks` must outlive the pods.
[[nodiscard]] std::vector<ImportedPod> CensusOf(const NodeTracks& tracks,
                                                const PodAssumptions& assumptions,
                                                ImportNotes& notes);

}  // namespace jettison
