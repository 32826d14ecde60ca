#include "sim/imported/metric_catalog.h"

#include <algorithm>
#include <array>

namespace jettison {
namespace {

using enum MetricScope;

constexpr auto kMetrics = std::to_array<CatalogMetric>({
    {"container_fs_usage_bytes", kScraped},
    {"container_memory_working_set_bytes", kScraped},
    {"container_oom_events_total", kScraped},
    {"container_spec_memory_limit_bytes", kScraped},
    {"container_threads", kScraped},
    {"jettison_build_info", kScraped},
    {"jettison_pod_disk_used_bytes", kScraped},
    {"jettison_pod_disk_used_inodes", kScraped},
    {"jettison_pod_evictions_total", kScraped},
    {"jettison_pod_info", kScraped},
    {"jettison_pod_limit_bytes", kScraped},
    {"jettison_pod_memory_working_set_bytes", kScraped},
    {"jettison_pod_oom_kills_total", kScraped},
    {"jettison_pod_priority", kScraped},
    {"jettison_pod_processes", kScraped},
    {"jettison_pod_request_bytes", kScraped},
    {"jettison_signal_available", kScraped},
    {"jettison_signal_capacity", kScraped},
    {"kube_node_info", kCluster},
    {"kube_node_status_allocatable", kCluster},
    {"kube_node_status_capacity", kCluster},
    {"kube_node_status_condition", kCluster},
    {"kube_pod_completion_time", kCluster},
    {"kube_pod_container_resource_limits", kCluster},
    {"kube_pod_container_resource_requests", kCluster},
    {"kube_pod_info", kCluster},
    {"kube_pod_owner", kCluster},
    {"kube_pod_status_phase", kCluster},
    {"kube_pod_status_qos_class", kCluster},
    {"kube_pod_status_reason", kCluster},
    {"kubelet_container_log_filesystem_used_bytes", kScraped},
    {"kubelet_evictions", kScraped},
    {"kubelet_node_name", kScraped},
    {"machine_memory_bytes", kScraped},
    {"node_boot_time_seconds", kScraped},
    {"node_filesystem_avail_bytes", kScraped},
    {"node_filesystem_files", kScraped},
    {"node_filesystem_files_free", kScraped},
    {"node_filesystem_size_bytes", kScraped},
    {"node_memory_AnonPages_bytes", kScraped},
    {"node_memory_Buffers_bytes", kScraped},
    {"node_memory_Cached_bytes", kScraped},
    {"node_memory_Inactive_file_bytes", kScraped},
    {"node_memory_MemTotal_bytes", kScraped},
    {"node_memory_SwapFree_bytes", kScraped},
    {"node_memory_SwapTotal_bytes", kScraped},
    {"node_memory_working_set_bytes", kScraped},
    {"node_pressure_io_stalled_seconds_total", kScraped},
    {"node_pressure_io_waiting_seconds_total", kScraped},
    {"node_pressure_memory_stalled_seconds_total", kScraped},
    {"node_pressure_memory_waiting_seconds_total", kScraped},
    {"node_processes_max_processes", kScraped},
    {"node_processes_threads", kScraped},
    {"node_time_seconds", kScraped},
    {"node_uname_info", kScraped},
    {"pod_memory_working_set_bytes", kScraped},
});
static_assert(std::ranges::is_sorted(kMetrics, {}, &CatalogMetric::name));

constexpr auto kFigureLabels = std::to_array<std::string_view>({"condition",
                                                                "container",
                                                                "created_by_kind",
                                                                "created_by_name",
                                                                "device",
                                                                "eviction_signal",
                                                                "fstype",
                                                                "id",
                                                                "internal_ip",
                                                                "kind",
                                                                "mountpoint",
                                                                "namespace",
                                                                "node",
                                                                "nodename",
                                                                "owner_kind",
                                                                "phase",
                                                                "pod",
                                                                "priority_class",
                                                                "profile",
                                                                "protection",
                                                                "qos_class",
                                                                "reason",
                                                                "resource",
                                                                "signal",
                                                                "source",
                                                                "status",
                                                                "uid",
                                                                "unit"});

}  // namespace

std::span<const CatalogMetric> CatalogMetrics() {
  return kMetrics;
}

const CatalogMetric* FindMetric(std::string_view name) {
  const auto found = std::ranges::lower_bound(kMetrics, name, {}, &CatalogMetric::name);
  return found != kMetrics.end() && found->name == name ? &*found : nullptr;
}

std::span<const std::string_view> FigureLabels() {
  return kFigureLabels;
}

}  // namespace jettison
