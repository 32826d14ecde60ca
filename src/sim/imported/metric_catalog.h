#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace jettison {

// How a series says which node it is of.
enum class MetricScope : std::uint8_t {
  kScraped,  // by the label `node`, or by the instance that was scraped on the node
  kCluster,  // by the label `node`, or by its pod: kube-state-metrics tells of all nodes
};

// A metric that is read.
struct CatalogMetric {
  std::string_view name;
  MetricScope scope = MetricScope::kScraped;
};

// All of them, by name.
[[nodiscard]] std::span<const CatalogMetric> CatalogMetrics();
// Null: it is not read.
[[nodiscard]] const CatalogMetric* FindMetric(std::string_view name);

// The labels that make one figure another; all the others say who scraped it. In a cluster a label
// may stand as `exported_NAME`, where the scraper has put its own in its place.
[[nodiscard]] std::span<const std::string_view> FigureLabels();

}  // namespace jettison
