#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/summary.h"
#include "core/units/duration.h"
#include "sim/imported/import_notes.h"
#include "sim/imported/node_tracks.h"
#include "sim/imported/pod_census.h"

namespace jettison {

// When a pod was away, because it had been evicted: from then on, and until it was seen again.
struct PodAbsence {
  Instant from;
  std::optional<Instant> until;  // none: it never came back
};

// The figures of one pod, each from the first series in the order of preference that there are.
class PodTracks {
 public:
  // `tracks` and `pod` must outlive this.
  PodTracks(const NodeTracks& tracks, const ImportedPod& pod);

  [[nodiscard]] const ImportedPod& pod() const { return *pod_; }
  // Whether nothing tells its memory, or what it has on disk.
  [[nodiscard]] bool has_memory() const { return !memory_.empty(); }
  [[nodiscard]] bool has_disk() const { return !disk_.empty(); }
  // The pod was evicted then: it is away until a sample of it begins anew.
  void Evicted(Instant at);
  [[nodiscard]] const std::vector<PodAbsence>& absences() const { return absences_; }

  // Absent: it did not run at that moment.
  [[nodiscard]] std::optional<PodStats> At(Instant at) const;
  // When its memory was last sampled before; none: never.
  [[nodiscard]] std::optional<Instant> LastSampleBefore(Instant at) const;
  // Where samples of its memory are missing and are put on a line.
  void NoteBridges(ImportNotes& notes) const;

 private:
  struct Part {
    std::string name;  // of the container; empty: of the whole pod
    const Track* track = nullptr;
    bool has_group = false;  // the series names a control group
  };
  struct DiskPart {
    std::string kind;       // "rootfs", "logs", "volumes"
    std::string container;  // empty: of the whole pod
    const Track* bytes = nullptr;
    const Track* inodes = nullptr;
  };
  // Figures whose sum is the pod's.
  using Parts = std::vector<Part>;
  [[nodiscard]] Parts PartsOf(const NodeTracks& tracks, std::string_view metric) const;
  void FindMemory(const NodeTracks& tracks);
  void FindDisk(const NodeTracks& tracks);
  [[nodiscard]] static std::optional<std::uint64_t> SumAt(const Parts& parts, Instant at);
  [[nodiscard]] bool IsThere(Instant at) const;
  void NoteBridges(const Track& track, ImportNotes& notes) const;
  void PutContainers(Instant at, PodStats& stats) const;
  // Whether something is known of it.
  [[nodiscard]] bool PutDisk(Instant at, PodStats& stats) const;

  const ImportedPod* pod_;
  Parts memory_;
  Parts containers_;  // beside that
  Parts tasks_;
  std::vector<DiskPart> disk_;
  std::vector<PodAbsence> absences_;
};

}  // namespace jettison
