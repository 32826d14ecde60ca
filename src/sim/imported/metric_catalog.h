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

// The labels that identify a figure; all other labels identify its scraper. For cluster-wide
// metrics a label may appear as `exported_NAME`, where the scraper has set NAME itself.
[[nodiscard]] std::span<const std::string_view> FigureLabels();

}  // namespace jettison
