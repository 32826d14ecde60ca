#include "sim/imported/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace jettison {
namespace {

// The query list. What begins with "kube_" is of kube-state-metrics, which tells of all nodes; all
// else is scraped on the node that it is about.
constexpr auto kMetrics =
    std::to_array<std::string_view>({"container_fs_usage_bytes",
                                     "container_memory_working_set_bytes",
                                     "container_oom_events_total",
                                     "container_spec_memory_limit_bytes",
                                     "container_threads",
                                     "jettison_build_info",
                                     "jettison_pod_disk_used_bytes",
                                     "jettison_pod_disk_used_inodes",
                                     "jettison_pod_evictions_total",
                                     "jettison_pod_info",
                                     "jettison_pod_last_eviction_timestamp_seconds",
                                     "jettison_pod_limit_bytes",
                                     "jettison_pod_memory_peak_bytes",
                                     "jettison_pod_memory_working_set_bytes",
                                     "jettison_pod_oom_kills_total",
                                     "jettison_pod_priority",
                                     "jettison_pod_processes",
                                     "jettison_pod_request_bytes",
                                     "jettison_signal_available",
                                     "jettison_signal_available_min",
                                     "jettison_signal_capacity",
                                     "kube_node_info",
                                     "kube_node_status_capacity",
                                     "kube_pod_completion_time",
                                     "kube_pod_container_resource_limits",
                                     "kube_pod_container_resource_requests",
                                     "kube_pod_info",
                                     "kube_pod_owner",
                                     "kube_pod_status_phase",
                                     "kube_pod_status_qos_class",
                                     "kube_pod_status_reason",
                                     "kubelet_container_log_filesystem_used_bytes",
                                     "kubelet_evictions",
                                     "kubelet_node_name",
                                     "machine_memory_bytes",
                                     "node_filesystem_avail_bytes",
                                     "node_filesystem_files",
                                     "node_filesystem_files_free",
                                     "node_filesystem_size_bytes",
                                     "node_memory_MemTotal_bytes",
                                     "node_memory_working_set_bytes",
                                     "node_processes_max_processes",
                                     "node_processes_threads",
                                     "node_uname_info",
                                     "pod_memory_working_set_bytes"});

bool IsOfCluster(const MetricSeries& figure) {
  return figure.name.starts_with("kube_");
}

// All other labels identify the scraper of a figure.
constexpr auto kFigureLabels = std::to_array<std::string_view>(
    {"container",   "device",         "eviction_signal", "id",
     "internal_ip", "kind",           "mountpoint",      "namespace",
     "node",        "nodename",       "owner_kind",      "phase",
     "pod",         "priority_class", "protection",      "qos_class",
     "reason",      "resource",       "signal",          "source",
     "uid"});

std::string_view HostOf(std::string_view instance) {
  const std::size_t colon = instance.rfind(':');
  const bool is_port = colon != std::string_view::npos &&
                       instance.find_first_not_of("0123456789", colon + 1) == instance.npos;
  std::string_view host = is_port ? instance.substr(0, colon) : instance;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host;
}

std::string PodNameOf(const MetricSeries& figure) {
  return fmt::format("{}/{}", figure.Label("namespace"), figure.Label("pod"));
}

}  // namespace

std::span<const std::string_view> ImportedMetrics() {
  return kMetrics;
}

std::optional<MetricSeries> FigureOf(const MetricSeries& series) {
  static_assert(std::ranges::is_sorted(kMetrics));
  if (!std::ranges::binary_search(kMetrics, series.name)) return std::nullopt;
  // The pause container of a pod has no name in Kubernetes; it is part of the pod's own group.
  const std::string_view container = series.Label("container");
  const bool is_pause = container == "POD" || (container.empty() && !series.Label("name").empty());
  if (is_pause && series.name.starts_with("container_")) return std::nullopt;
  MetricSeries figure{.name = series.name, .labels = {}};
  const auto keep = [&](std::string_view label, std::string_view value) {
    if (!value.empty()) figure.labels.emplace(label, value);
  };
  keep("instance", series.Label("instance"));
  for (const std::string_view label : kFigureLabels) {
    const std::string_view exported = series.Label("exported_" + std::string(label));
    keep(label, exported.empty() ? series.Label(label) : exported);
  }
  if (!figure.labels.contains("node")) keep("node", series.Label("kubernetes_node"));
  return figure;
}

void NodeDirectory::Learn(const MetricSeries& figure) {
  const bool is_uname = figure.name == "node_uname_info" && figure.Label("node").empty();
  const std::string node(figure.Label(is_uname ? "nodename" : "node"));
  if (node.empty()) return;
  nodes_.insert(node);
  const std::string instance(figure.Label("instance"));
  if (!IsOfCluster(figure) && !instance.empty()) {
    keys_.try_emplace({Key::kInstance, instance}, node);
  }
  const std::string address(figure.Label("internal_ip"));
  if (!address.empty()) keys_[{Key::kAddress, address}] = node;
  if (figure.Label("pod").empty()) return;
  const auto [known, is_new] = keys_.try_emplace({Key::kPodName, PodNameOf(figure)}, node);
  if (!is_new && known->second != node) known->second.clear();
  const std::string uid(figure.Label("uid"));
  if (!uid.empty()) keys_[{Key::kPod, uid}] = node;
}

std::optional<std::string> NodeDirectory::Find(Key kind, std::string_view key) const {
  const auto found = keys_.find({kind, std::string(key)});
  if (found == keys_.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::optional<std::string> NodeDirectory::NodeOf(const MetricSeries& figure) const {
  if (const std::string_view node = figure.Label("node"); !node.empty()) return std::string(node);
  if (IsOfCluster(figure)) {
    const std::string_view uid = figure.Label("uid");
    return uid.empty() ? Find(Key::kPodName, PodNameOf(figure)) : Find(Key::kPod, uid);
  }
  const std::string_view instance = figure.Label("instance");
  if (instance.empty()) return std::nullopt;
  if (auto node = Find(Key::kInstance, instance)) return node;
  if (auto node = Find(Key::kAddress, HostOf(instance))) return node;
  // Many set-ups name the instance after the node, with or without a port.
  return std::string(HostOf(instance));
}

std::set<std::string> NodeDirectory::KeysOf(Key kind, std::string_view node) const {
  std::set<std::string> keys;
  for (const auto& [key, on] : keys_) {
    if (key.first == kind && on == node) keys.insert(key.second);
  }
  return keys;
}

bool ImportSamples::Begin(const MetricSeries& series) {
  current_ = nullptr;
  auto figure = FigureOf(series);
  if (!figure) return false;
  const auto node = directory_.NodeOf(*figure);
  if (!node) return false;
  if (nodes_.empty() ? !directory_.nodes().contains(*node) : !nodes_.contains(*node)) return false;
  figure->labels.erase("instance");
  figure->labels.erase("node");
  current_ = &by_node_[*node][*std::move(figure)][series];
  return true;
}

Result<void> ImportSamples::Add(Instant at, double value) {
  if (current_ == nullptr || at < range_.from || at > range_.to) return {};
  if (!current_->empty() && at <= current_->back().at) return {};
  if (samples_ >= range_.most_samples) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("there are more than {} samples of these nodes, which is all that is "
                            "held at a time: import fewer nodes, or less time, at once",
                            range_.most_samples));
  }
  ++samples_;
  current_->push_back({at, value});
  return {};
}

}  // namespace jettison
