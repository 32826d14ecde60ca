#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/metric_series/metric_series.h"
#include "sim/imported/tracks.h"

namespace jettison {

// The names of all metrics that are read.
[[nodiscard]] std::span<const std::string_view> ImportedMetrics();

// A series as the import knows it: with those labels alone that make it a figure of its own, with
// `exported_NAME` in place of NAME where the scraper has set NAME itself, and `instance`. None: it
// is not read.
[[nodiscard]] std::optional<MetricSeries> FigureOf(const MetricSeries& series);

// Which node a series belongs to. It has to have seen (Learn) all series that tell of nodes and
// pods before it is asked.
class NodeDirectory {
 public:
  // What names a node beside its own name.
  enum class Key : std::uint8_t {
    kInstance,  // "host:port" of what is scraped on the node
    kAddress,   // "host"
    kPod,       // the UID of a pod that was on it
    kPodName,   // "namespace/name"; it names no node where pods of that name were on several
  };

  // Takes what a series says of nodes, instances and pods: kube_pod_info, kube_node_info,
  // node_uname_info, kubelet_node_name, and whatever has a label `node`.
  void Learn(const MetricSeries& figure);
  // What the user knows: this instance runs on that node.
  void Name(const std::string& instance, const std::string& node) {
    keys_[{Key::kInstance, instance}] = node;
  }

  // None: it cannot be told.
  [[nodiscard]] std::optional<std::string> NodeOf(const MetricSeries& figure) const;
  [[nodiscard]] const std::set<std::string>& nodes() const { return nodes_; }
  [[nodiscard]] std::set<std::string> KeysOf(Key kind, std::string_view node) const;

 private:
  [[nodiscard]] std::optional<std::string> Find(Key kind, std::string_view key) const;

  std::set<std::string> nodes_;
  std::map<std::pair<Key, std::string>, std::string> keys_;  // to node; empty: not one node
};

struct ImportRange {
  Instant from;
  Instant to;
  // Samples of all nodes that are held, 16 bytes each.
  std::size_t most_samples = std::size_t{48} << 20;
};

// Takes series and keeps the samples of the nodes that are asked for.
class ImportSamples final : public SeriesSink {
 public:
  // `directory` must outlive this. No nodes: all that it knows.
  ImportSamples(const NodeDirectory& directory, std::set<std::string> nodes, ImportRange range)
      : directory_(directory), nodes_(std::move(nodes)), range_(range) {}

  [[nodiscard]] bool Begin(const MetricSeries& series) override;
  // A sample that is not later than the one before is left out. kInvalidArgument: there are more
  // than may be held.
  [[nodiscard]] Result<void> Add(Instant at, double value) override;

  [[nodiscard]] std::map<std::string, NodeSeries>& nodes() { return by_node_; }

 private:
  const NodeDirectory& directory_;
  const std::set<std::string> nodes_;
  const ImportRange range_;
  std::map<std::string, NodeSeries> by_node_;
  std::vector<TrackPoint>* current_ = nullptr;
  std::size_t samples_ = 0;
};

}  // namespace jettison
