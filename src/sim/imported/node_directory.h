#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/metric_series/metric_series.h"

namespace jettison {

// A series as the import knows it: of the labels those that make it a figure of its own
// (FigureLabels), with `exported_NAME` in place of NAME, and `instance`. None: it is not read.
[[nodiscard]] std::optional<MetricSeries> FigureOf(const MetricSeries& series);

// Which node a series belongs to. It has to have seen (Learn) all series that tell of nodes and
// pods before it is asked.
class NodeDirectory {
 public:
  // Takes what a series says of nodes, instances and pods: kube_pod_info, kube_node_info,
  // node_uname_info, kubelet_node_name, and whatever has a label `node`.
  void Learn(const MetricSeries& figure);
  // What the user knows: this instance runs on that node.
  void Name(const std::string& instance, const std::string& node) { instances_[instance] = node; }

  // None: it cannot be told.
  [[nodiscard]] std::optional<std::string> NodeOf(const MetricSeries& figure) const;

  [[nodiscard]] const std::set<std::string>& nodes() const { return nodes_; }
  // "host:port" of what is scraped on the node, as far as that was said.
  [[nodiscard]] std::set<std::string> InstancesOf(std::string_view node) const;
  // Its addresses.
  [[nodiscard]] std::set<std::string> AddressesOf(std::string_view node) const;
  // What is doubtful of the figures of the node, because an address of it was another node's, too;
  // sentences without their full stops.
  [[nodiscard]] std::set<std::string> DoubtsOf(const std::string& node) const;
  // UIDs of the pods that were on it.
  [[nodiscard]] std::set<std::string> PodsOf(std::string_view node) const;

 private:
  [[nodiscard]] std::optional<std::string> NodeOfInstance(std::string_view instance) const;
  [[nodiscard]] std::optional<std::string> NodeOfPod(const MetricSeries& figure) const;

  std::set<std::string> nodes_;
  std::map<std::string, std::string, std::less<>> instances_;        // "host:port" to node
  std::map<std::string, std::string, std::less<>> addresses_;        // "host" to node
  std::map<std::string, std::set<std::string>> nodes_at_;            // an address, ever
  std::map<std::string, std::string, std::less<>> pods_;             // UID to node
  std::map<std::string, std::set<std::string>, std::less<>> names_;  // "namespace/name" to nodes
};

}  // namespace jettison
