#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"
#include "sim/imported/import_notes.h"
#include "sim/imported/node_tracks.h"

namespace jettison {

// What the user says of pods that no series tells.
struct PodAssumptions {
  // Absent: `standalone` where an agent tells of pods of its own, else `kubelet`.
  std::optional<Profile> profile;
  std::map<std::string, std::int32_t, std::less<>> priority_classes;  // beside those of the system
};

// A pod that was on the node.
struct ImportedPod {
  std::shared_ptr<const PodFacts> facts;  // as far as series tell of it
  // When it was there: from its first sample to its last one.
  Instant from;
  Instant to;
  Duration slack{0};               // by which it may have been there before and after
  const Track* running = nullptr;  // kube_pod_status_phase; null: not known
};

// The profile that holds, by what is told and by the series.
[[nodiscard]] Profile ProfileOf(const NodeTracks& tracks, const PodAssumptions& assumptions);

// All pods of a node, by namespace and name, and by time where two have the same. It notes what is
// missing of them.
[[nodiscard]] std::vector<ImportedPod> CensusOf(const NodeTracks& tracks,
                                                const PodAssumptions& assumptions,
                                                ImportNotes& notes);

// Whether a figure is about the pod: by its UID where it has one, else by namespace and name.
[[nodiscard]] bool IsOfPod(const MetricSeries& figure, const Pod& pod);

}  // namespace jettison
