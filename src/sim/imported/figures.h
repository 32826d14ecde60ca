#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/prometheus/prometheus.h"
#include "core/model/pod.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sim/imported/convert.h"

namespace jettison {

// One figure of a node through time. Its samples are in the order of time, no two at one time; a
// value that is not a number says that the figure ends there.
class Track : public MetricSeries {
 public:
  // A counter has grown. One that began anew has grown from zero.
  struct Step {
    Instant from;  // the sample before
    Instant to;
    double by = 0;
  };

  explicit Track(MetricSeries figure);

  // The UID of the pod that the figure is about; empty: it does not say.
  [[nodiscard]] std::string PodUid() const;
  // The median time between two samples; zero: there are fewer than two.
  [[nodiscard]] Duration interval() const { return interval_; }

  // A gauge at that moment: on the line between two samples that are not further apart than
  // kStaleness, or behind the last one for as long as samples are apart. None: it is not known.
  [[nodiscard]] std::optional<double> At(Instant at) const;
  // The same as a whole number of things, 0 or more.
  [[nodiscard]] std::optional<std::uint64_t> CountAt(Instant at) const;
  // The last sample before that moment; null: there is none.
  [[nodiscard]] const MetricSample* LastBefore(Instant at) const;
  // The first one from that moment on, within kStaleness.
  [[nodiscard]] const MetricSample* FirstFrom(Instant at) const;
  // How it has grown. What it began with is a step where it was not there yet at the moment
  // `before`.
  [[nodiscard]] std::vector<Step> Steps(std::optional<Instant> before = std::nullopt) const;

  // Adds a sample of that moment: what `extreme` has seen in the time to its next sample, or what
  // it would be had the amount that is used grown on as it did between the two samples before, or
  // else the last one. Nothing else grows.
  void GrowTo(Instant at, bool is_used, const Track* extreme);
  // What the figure is about ended after that moment. Samples up to `until` that follow without a
  // pause are left out, because they are not of what may have begun anew. `interval`: of scrapes;
  // what lives briefly has longer ones of its own.
  void EndAt(Instant at, Instant until, Duration interval);

 private:
  Duration interval_{0};
};

// An amount as a whole number of things, 0 or more.
[[nodiscard]] std::uint64_t CountOf(double amount);

// The figures of one node. Where several series tell of one figure, as with two replicas of a
// Prometheus or with a container that was restarted, the first one counts for as long as it goes
// on, and then the next.
class NodeTracks {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // The series of a node, in any order and any number of pieces.
  explicit NodeTracks(std::vector<MetricSeries> series);

  // All figures of a metric, by their labels.
  [[nodiscard]] std::vector<Track>& Of(std::string_view metric) {
    return by_metric_[std::string(metric)];
  }
  // Those of them that are about the pod: by its UID where they have one, else by its name.
  [[nodiscard]] std::vector<Track*> OfPod(std::string_view metric, const Pod& pod);
  // The first one that has these labels; null: there is none.
  [[nodiscard]] Track* Find(std::string_view metric, Labels labels = {});
  [[nodiscard]] bool Has(std::string_view metric) { return !Of(metric).empty(); }

 private:
  std::map<std::string, std::vector<Track>> by_metric_;
};

// The figures of a node, each from the first series in the order of preference that exists. The
// tracks outlive them.
struct NodeFigures {
  // What series tell of a signal; null: nothing.
  struct Figure {
    Track* amount = nullptr;
    const Track* capacity = nullptr;
    bool is_used = false;          // the amount is what is used, and else what is available
    const Track* least = nullptr;  // of what is available, since the sample before
  };

  std::array<Figure, kSignalCount> figures;
  DiskLayout layout;

  [[nodiscard]] const Figure& Of(Signal signal) const { return figures[IndexOf(signal)]; }
  // The samples of the node's memory, which say when there is a pass.
  [[nodiscard]] const Track& clock() const { return *Of(Signal::kMemoryAvailable).amount; }
  // Adds a sample of the moment of an eviction to what tells of memory: the least that the agent
  // has seen in this time, or what it would be had it grown on.
  void GrowTo(Instant at);
  [[nodiscard]] NodeStats At(const std::string& node, Instant at) const;
};

// Finds them, and notes what is assumed of the disks. kNotFound: nothing tells the node's memory.
[[nodiscard]] Result<NodeFigures> NodeFiguresIn(NodeTracks& tracks, const ImportOptions& options,
                                                std::vector<std::string>& notes);

// A pod that was on the node, and its figures, each from the first series in the order of
// preference that there are. The tracks outlive it.
struct ImportedPod {
  // A figure of what it has on disk.
  struct DiskPart {
    const Track* track = nullptr;
    std::string container;                                    // which has it
    std::optional<FsUsage> ContainerStats::*where = nullptr;  // null: in volumes
    std::optional<std::uint64_t> FsUsage::*figure = nullptr;
  };

  std::shared_ptr<const PodFacts> facts;  // as far as series tell of it
  // From when to when figures without a UID are this pod's, of those of its name.
  Instant from = Instant::min();
  Instant to = Instant::max();
  std::vector<Track*> memory;   // the sum is the pod's
  const Track* peak = nullptr;  // of memory, since the sample before; null: not known
  std::vector<Track*> tasks;    // the sum is the pod's
  std::vector<DiskPart> disk;

  // Absent: it did not run at that moment.
  [[nodiscard]] std::optional<PodStats> At(Instant at) const;
};

// All pods of a node, by namespace and name, and by time where two have the same. It notes what is
// missing of them.
[[nodiscard]] std::vector<ImportedPod> CensusOf(NodeTracks& tracks, Profile profile,
                                                const ImportOptions& options,
                                                std::vector<std::string>& notes);

}  // namespace jettison
