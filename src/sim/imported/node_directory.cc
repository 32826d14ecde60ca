#include "sim/imported/node_directory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/imported/metric_catalog.h"

namespace jettison {
namespace {

std::string_view HostOf(std::string_view instance) {
  const std::size_t colon = instance.rfind(':');
  const bool is_port = colon != std::string_view::npos &&
                       instance.find_first_not_of("0123456789", colon + 1) == instance.npos;
  std::string_view host = is_port ? instance.substr(0, colon) : instance;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host;
}

std::set<std::string> KeysOf(const std::map<std::string, std::string, std::less<>>& nodes,
                             std::string_view node) {
  std::set<std::string> keys;
  for (const auto& [key, on] : nodes) {
    if (on == node) keys.insert(key);
  }
  return keys;
}

std::string FullNameOf(const MetricSeries& figure) {
  return std::string(figure.Label("namespace")) + "/" + std::string(figure.Label("pod"));
}

}  // namespace

std::optional<MetricSeries> FigureOf(const MetricSeries& series) {
  if (FindMetric(series.name) == nullptr) return std::nullopt;
  // The pause container of a pod has no name in Kubernetes; it is part of the pod's own group.
  const std::string_view container = series.Label("container");
  const bool is_pause = container == "POD" || (container.empty() && !series.Label("name").empty());
  if (is_pause && series.name.starts_with("container_")) return std::nullopt;
  MetricSeries figure{.name = series.name, .labels = {}};
  const auto keep = [&](std::string_view label, std::string_view value) {
    if (!value.empty()) figure.labels.emplace(label, value);
  };
  keep("instance", series.Label("instance"));
  for (const std::string_view label : FigureLabels()) {
    const std::string_view exported = series.Label("exported_" + std::string(label));
    keep(label, exported.empty() ? series.Label(label) : exported);
  }
  if (!figure.labels.contains("node")) keep("node", series.Label("kubernetes_node"));
  return figure;
}

void NodeDirectory::Learn(const MetricSeries& figure) {
  const std::string instance(figure.Label("instance"));
  if (figure.name == "node_uname_info" && !figure.Label("nodename").empty()) {
    const std::string node(figure.Label("nodename"));
    nodes_.insert(node);
    if (!instance.empty()) instances_.try_emplace(instance, node);
  }
  const std::string node(figure.Label("node"));
  if (node.empty()) return;
  nodes_.insert(node);
  const CatalogMetric* metric = FindMetric(figure.name);
  if (metric != nullptr && metric->scope == MetricScope::kScraped && !instance.empty()) {
    instances_.try_emplace(instance, node);
  }
  if (figure.name == "kube_node_info" && !figure.Label("internal_ip").empty()) {
    const std::string address(figure.Label("internal_ip"));
    addresses_[address] = node;
    nodes_at_[address].insert(node);
  }
  if (figure.Label("pod").empty()) return;
  names_[FullNameOf(figure)].insert(node);
  if (!figure.Label("uid").empty()) pods_[std::string(figure.Label("uid"))] = node;
}

std::optional<std::string> NodeDirectory::NodeOfInstance(std::string_view instance) const {
  if (instance.empty()) return std::nullopt;
  if (const auto found = instances_.find(instance); found != instances_.end()) return found->second;
  const std::string_view host = HostOf(instance);
  if (const auto found = addresses_.find(host); found != addresses_.end()) return found->second;
  // Many set-ups name the instance after the node, with or without a port.
  return std::string(host);
}

std::optional<std::string> NodeDirectory::NodeOfPod(const MetricSeries& figure) const {
  if (const auto found = pods_.find(figure.Label("uid")); found != pods_.end()) {
    return found->second;
  }
  if (figure.Label("pod").empty() || !figure.Label("uid").empty()) return std::nullopt;
  const auto found = names_.find(FullNameOf(figure));
  if (found == names_.end() || found->second.size() != 1) return std::nullopt;
  return *found->second.begin();
}

std::optional<std::string> NodeDirectory::NodeOf(const MetricSeries& figure) const {
  const CatalogMetric* metric = FindMetric(figure.name);
  if (metric == nullptr) return std::nullopt;
  if (const std::string_view node = figure.Label("node"); !node.empty()) return std::string(node);
  if (metric->scope == MetricScope::kCluster) return NodeOfPod(figure);
  return NodeOfInstance(figure.Label("instance"));
}

std::set<std::string> NodeDirectory::InstancesOf(std::string_view node) const {
  return KeysOf(instances_, node);
}

std::set<std::string> NodeDirectory::AddressesOf(std::string_view node) const {
  return KeysOf(addresses_, node);
}

std::set<std::string> NodeDirectory::DoubtsOf(const std::string& node) const {
  std::set<std::string> doubts;
  for (const auto& [address, nodes] : nodes_at_) {
    if (nodes.size() < 2 || !nodes.contains(node)) continue;
    doubts.insert(
        fmt::format("{} was the address of {}: series that tell only this address are taken to be "
                    "of {}, also those from the time of another one",
                    address, fmt::join(nodes, " and of "), addresses_.at(address)));
  }
  return doubts;
}

std::set<std::string> NodeDirectory::PodsOf(std::string_view node) const {
  return KeysOf(pods_, node);
}

}  // namespace jettison
