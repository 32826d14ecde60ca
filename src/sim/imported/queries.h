#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codec/prometheus/prometheus.h"

namespace jettison {

// What the series of a node are found by.
struct NodeNames {
  std::string node;
  std::set<std::string> instances;  // patterns of the label, of what is scraped on the node
  std::set<std::string> pod_uids;
};

// A text as a regular expression (RE2) in a string of PromQL which matches it.
[[nodiscard]] std::string AsPattern(std::string_view text);

// The selectors of the series that tell which names a node has, and what such a series tells.
[[nodiscard]] std::vector<std::string> NamingQueries(std::string_view node);
void Learn(const MetricSeries& series, NodeNames& names);

// The query list: selectors that together match all series of a node that an import reads.
[[nodiscard]] std::vector<std::string> QueriesFor(const NodeNames& names);

}  // namespace jettison
