#include "cli/import/prometheus_queries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/imported/metric_catalog.h"

namespace jettison {
namespace {

// UIDs are long, and a query is sent as a whole.
constexpr std::size_t kPodsAtOnce = 100;

std::string OneOf(const std::set<std::string>& texts) {
  std::vector<std::string> patterns;
  for (const std::string& text : texts) patterns.push_back(AsPattern(text));
  return fmt::format("{}", fmt::join(patterns, "|"));
}

std::string NamesOf(MetricScope scope) {
  std::vector<std::string_view> names;
  for (const CatalogMetric& metric : CatalogMetrics()) {
    if (metric.scope == scope) names.push_back(metric.name);
  }
  return fmt::format("{}", fmt::join(names, "|"));
}

std::string AllNames() {
  return NamesOf(MetricScope::kScraped) + "|" + NamesOf(MetricScope::kCluster);
}

}  // namespace

std::string AsPattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    const bool in_class = std::string_view(".+*?()|{}$").find(c) != std::string_view::npos;
    const bool is_rare = std::string_view("\\\"[]^\n").find(c) != std::string_view::npos;
    if (in_class) {
      pattern += fmt::format("[{}]", c);
    } else {
      pattern += is_rare ? '.' : c;
    }
  }
  return pattern;
}

std::vector<std::string> DiscoveryQueries(const std::set<std::string>& nodes) {
  const std::string pattern = OneOf(nodes);
  constexpr std::string_view kTellers = "kube_pod_info|kube_node_info|kubelet_node_name";
  return {fmt::format(R"({{__name__=~"{}",node=~"{}"}})", kTellers, pattern),
          fmt::format(R"({{__name__=~"{}",exported_node=~"{}"}})", kTellers, pattern),
          fmt::format(R"(node_uname_info{{nodename=~"{}"}})", pattern)};
}

std::vector<std::string> NodeQueries(const std::string& node, const NodeDirectory& directory) {
  const std::string pattern = AsPattern(node);
  std::string instances = fmt::format("{}(:[0-9]+)?", pattern);
  const std::set<std::string> known = directory.InstancesOf(node);
  if (!known.empty()) instances += "|" + OneOf(known);
  for (const std::string& address : directory.AddressesOf(node)) {
    instances += fmt::format(R"(|.?{}.?(:[0-9]+)?)", AsPattern(address));
  }
  std::vector<std::string> queries = {
      fmt::format(R"({{__name__=~"{}",node="",exported_node="",instance=~"{}"}})",
                  NamesOf(MetricScope::kScraped), instances),
      fmt::format(R"({{__name__=~"{}",node=~"{}",exported_node=""}})", AllNames(), pattern),
      fmt::format(R"({{__name__=~"{}",exported_node=~"{}"}})", AllNames(), pattern)};
  std::set<std::string> batch;
  const auto flush = [&] {
    if (batch.empty()) return;
    queries.push_back(fmt::format(R"({{__name__=~"{}",node="",exported_node="",uid=~"{}"}})",
                                  NamesOf(MetricScope::kCluster), OneOf(batch)));
    batch.clear();
  };
  for (const std::string& uid : directory.PodsOf(node)) {
    batch.insert(uid);
    if (batch.size() == kPodsAtOnce) flush();
  }
  flush();
  return queries;
}

}  // namespace jettison
