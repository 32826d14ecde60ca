#include "sim/imported/queries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jettison {
namespace {

// The metrics that are read, as patterns. These are scraped on the node.
constexpr std::string_view kOnNode =
    "container_(fs_usage_bytes|memory_working_set_bytes|oom_events_total|spec_memory_limit_bytes"
    "|threads)"
    "|jettison_pod_(disk_used_(bytes|inodes)|evictions_total|info|last_eviction_timestamp_seconds"
    "|(request|limit)_bytes|memory_(peak|working_set)_bytes|oom_kills_total|priority|processes)"
    "|jettison_signal_(available|available_min|capacity)"
    "|kubelet_(container_log_filesystem_used_bytes|evictions)"
    "|(machine_memory|node_memory_MemTotal|(node|pod)_memory_working_set)_bytes"
    "|node_filesystem_((avail|size)_bytes|files|files_free)"
    "|node_processes_(max_processes|threads)";
// kube-state-metrics knows all nodes, and says of the first ones which node they are about.
constexpr std::string_view kOfNode =
    "kube_node_status_capacity|kube_pod_info|kube_pod_container_resource_(limits|requests)";
constexpr std::string_view kOfPod =
    "kube_pod_(completion_time|owner|status_(phase|qos_class|reason))";

// UIDs are long, and a query is sent as a whole.
constexpr std::size_t kPodsAtOnce = 100;

}  // namespace

// Characters that neither a string nor an expression can hold match any.
std::string AsPattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    const bool in_class = std::string_view(".+*?()|{}$").find(c) != std::string_view::npos;
    const bool is_rare = std::string_view("\\\"[]^\n").find(c) != std::string_view::npos;
    pattern += in_class ? fmt::format("[{}]", c) : std::string(1, is_rare ? '.' : c);
  }
  return pattern;
}

std::vector<std::string> NamingQueries(std::string_view node) {
  constexpr std::string_view kNamers = "kube_pod_info|kube_node_info|kubelet_node_name";
  const std::string name = AsPattern(node);
  return {fmt::format(R"({{__name__=~"{}",node=~"{}"}})", kNamers, name),
          fmt::format(R"({{__name__=~"{}",exported_node=~"{}"}})", kNamers, name),
          fmt::format(R"(node_uname_info{{nodename=~"{}"}})", name)};
}

void Learn(const MetricSeries& series, NodeNames& names) {
  if (const std::string_view uid = series.Label("uid"); !uid.empty()) names.pod_uids.emplace(uid);
  if (const std::string_view address = series.Label("internal_ip"); !address.empty()) {
    names.instances.insert(fmt::format(".?{}.?(:[0-9]+)?", AsPattern(address)));  // [::1]:9100
  }
  const std::string_view exported = series.Label("exported_node");
  const bool is_of_node = exported.empty() || exported == names.node;
  if (is_of_node && !series.name.starts_with("kube_") && !series.Label("instance").empty()) {
    names.instances.insert(AsPattern(series.Label("instance")));
  }
}

std::vector<std::string> QueriesFor(const NodeNames& names) {
  const std::string node = AsPattern(names.node);
  const std::string all = fmt::format("{}|{}", kOnNode, kOfNode);
  // Many set-ups name the instance after the node, with or without a port.
  std::string instances = fmt::format("{}(:[0-9]+)?", node);
  for (const std::string& instance : names.instances) instances += "|" + instance;
  std::vector<std::string> queries = {
      fmt::format(R"({{__name__=~"{}",node="",exported_node="",instance=~"{}"}})", kOnNode,
                  instances),
      fmt::format(R"({{__name__=~"{}",node=~"{}",exported_node=""}})", all, node),
      fmt::format(R"({{__name__=~"{}",exported_node=~"{}"}})", all, node)};
  for (std::set<std::string> left = names.pod_uids; !left.empty();) {
    std::vector<std::string> uids;
    while (!left.empty() && uids.size() < kPodsAtOnce) {
      uids.push_back(AsPattern(left.extract(left.begin()).value()));
    }
    queries.push_back(fmt::format(R"({{__name__=~"{}",uid=~"{}"}})", kOfPod, fmt::join(uids, "|")));
  }
  return queries;
}

}  // namespace jettison
