#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/metric_series/metric_series.h"
#include "sim/imported/node_directory.h"
#include "sim/imported/track.h"

namespace jettison {

// A series of a node with its samples, as they were scraped.
struct ScrapedSeries {
  MetricSeries series;  // with all labels, as it was read
  MetricSeries figure;  // with those labels alone that make it a figure of its own
  std::vector<Track::Point> points;
  std::uint64_t out_of_order = 0;   // samples older than the one before, which were left out
  std::uint64_t contradicting = 0;  // that differ from one of the same time, which was kept
};

// All of one node.
using NodeSeries = std::vector<std::unique_ptr<ScrapedSeries>>;

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
  // kInvalidArgument: there are more than may be held.
  [[nodiscard]] Result<void> Add(Instant at, double value) override;

  [[nodiscard]] std::map<std::string, NodeSeries>& nodes() { return by_node_; }
  [[nodiscard]] std::size_t samples() const { return samples_; }

 private:
  const NodeDirectory& directory_;
  const std::set<std::string> nodes_;
  const ImportRange range_;
  std::map<std::string, NodeSeries> by_node_;
  std::unordered_map<std::string, ScrapedSeries*> known_;  // by their text
  ScrapedSeries* current_ = nullptr;
  std::size_t samples_ = 0;
};

}  // namespace jettison
