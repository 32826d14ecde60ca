#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/model/pod.h"
#include "sim/imported/figures.h"

namespace jettison {
namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";

// The container that represents all containers of a pod whose requests are only known as a sum.
constexpr std::string_view kWholePod = "pod";

struct Found {
  Instant first;  // sample
  std::string space;
  std::string name;
  std::string uid;              // "namespace/name" where no series tells it
  const Track* info = nullptr;  // kube_pod_info or jettison_pod_info; null: none
};

// Which pods there were, by namespace and name, and by time where two have the same. Memory makes a
// pod only where nothing else tells of one of that name.
std::vector<Found> PodsIn(NodeTracks& tracks) {
  std::map<std::string, Found> found;  // by UID
  std::set<std::string> names;
  for (const std::string_view metric :
       {"kube_pod_info", "jettison_pod_info", "jettison_pod_memory_working_set_bytes",
        "pod_memory_working_set_bytes", "container_memory_working_set_bytes"}) {
    const bool is_info = metric.ends_with("_info");
    for (const Track& each : tracks.Of(metric)) {
      const std::string name = fmt::format("{}/{}", each.Label("namespace"), each.Label("pod"));
      if (each.Label("pod").empty() || (!is_info && names.contains(name))) continue;
      if (is_info) names.insert(name);
      std::string uid(is_info ? each.Label("uid") : "");
      if (uid.empty()) uid = name;
      const Instant first = each.samples().front().at;
      Found& pod = found.try_emplace(uid, Found{.first = first, .uid = uid}).first->second;
      pod.first = std::min(pod.first, first);
      pod.space = each.Label("namespace");
      pod.name = each.Label("pod");
      if (is_info && pod.info == nullptr) pod.info = &each;
    }
  }
  std::vector<Found> pods;
  for (auto& [uid, pod] : found) pods.push_back(std::move(pod));
  std::ranges::sort(
      pods, {}, [](const Found& pod) { return std::tie(pod.space, pod.name, pod.first, pod.uid); });
  return pods;
}

Quantity AmountOf(std::string_view resource, double value) {
  if (resource != "cpu") return Quantity::Of(static_cast<std::int64_t>(CountOf(value)));
  return Quantity::Parse(fmt::format("{}m", CountOf(value * 1000))).value_or(Quantity());
}

template <typename T>
T& ItemNamed(std::string_view name, std::vector<T>& items) {
  const auto found = std::ranges::find(items, name, &T::name);
  return found != items.end() ? *found : items.emplace_back(T{.name = std::string(name)});
}

void AddResources(NodeTracks& tracks, std::string_view metric,
                  ResourceList ResourceRequirements::*list, Pod& pod) {
  for (const Track* each : tracks.OfPod(metric, pod)) {
    const std::string_view name = each->Label("container");
    Container& container = ItemNamed(name.empty() ? kWholePod : name, pod.containers);
    // kube-state-metrics writes "ephemeral_storage".
    std::string kind(each->Label("resource"));
    std::ranges::replace(kind, '_', '-');
    (container.resources.*list)[kind] = AmountOf(kind, each->samples().back().value);
  }
}

// Absent: nobody knows the class, or it has none; it is taken to be 0.
std::optional<std::int32_t> PriorityOf(const std::string& name, const ImportOptions& options,
                                       std::set<std::string>& unknown_classes) {
  if (const auto of_system = PriorityOfClass(name)) return of_system;
  const auto told = options.priority_classes.find(name);
  if (told != options.priority_classes.end()) return told->second;
  if (!name.empty()) unknown_classes.insert(name);
  return std::nullopt;
}

std::shared_ptr<const PodFacts> FactsFor(NodeTracks& tracks, const Found& found, Profile profile,
                                         const ImportOptions& options,
                                         std::set<std::string>& unknown_classes) {
  const auto info = [&](std::string_view label) {
    return std::string(found.info == nullptr ? "" : found.info->Label(label));
  };
  Pod pod{.name = found.name, .namespace_ = found.space, .uid = found.uid};
  pod.priority_class_name = info("priority_class");
  const auto priorities = tracks.OfPod("jettison_pod_priority", pod);
  pod.priority = priorities.empty()
                     ? PriorityOf(pod.priority_class_name, options, unknown_classes)
                     : static_cast<std::int32_t>(priorities.front()->samples().back().value);
  using Resources = ResourceRequirements;
  AddResources(tracks, "kube_pod_container_resource_requests", &Resources::requests, pod);
  AddResources(tracks, "kube_pod_container_resource_limits", &Resources::limits, pod);
  AddResources(tracks, "jettison_pod_request_bytes", &Resources::requests, pod);
  AddResources(tracks, "jettison_pod_limit_bytes", &Resources::limits, pod);
  for (const Track* each : tracks.OfPod("container_memory_working_set_bytes", pod)) {
    const std::string_view name = each->Label("container");
    if (!name.empty()) ItemNamed(name, pod.containers);
  }
  if (pod.containers.empty()) ItemNamed(kWholePod, pod.containers);
  pod.status_qos_class = EnumeratorNamed<QosClass>(info("qos_class"));
  if (info("created_by_kind") == "Node") pod.annotations.emplace(kMirror, "imported");
  for (const Track* each : tracks.OfPod("jettison_pod_disk_used_bytes", pod)) {
    if (each->Label("kind") != "volumes") continue;
    pod.volumes.push_back({.name = "volumes", .source = EmptyDirSource{}});
  }
  PodFacts facts = FactsOf(std::move(pod), profile);
  facts.source = PodOrigin::kKubernetes;
  for (const PodOrigin each : {PodOrigin::kOwn, PodOrigin::kRuntime}) {
    if (NameOf(each) == info("source")) facts.source = each;
  }
  for (const auto each : {Protection::kNone, Protection::kCritical, Protection::kObserved}) {
    if (NameOf(each) == info("protection")) facts.protection = each;
  }
  return std::make_shared<const PodFacts>(std::move(facts));
}

using Parts = std::vector<Track*>;

// Those that have the label, or those that have it not.
Parts With(Parts parts, std::string_view label, bool has) {
  std::erase_if(parts, [&](const Track* part) { return part->Label(label).empty() == has; });
  return parts;
}

Parts FirstOf(std::initializer_list<Parts> sources) {
  const auto first = std::ranges::find_if_not(sources, &Parts::empty);
  return first == sources.end() ? Parts() : *first;
}

std::vector<ImportedPod::DiskPart> DiskOf(NodeTracks& tracks, const Pod& pod) {
  std::vector<ImportedPod::DiskPart> parts;
  const auto add = [&](std::string_view metric, std::string_view kind, auto figure) {
    for (const Track* each : tracks.OfPod(metric, pod)) {
      const std::string_view of = kind.empty() ? each->Label("kind") : kind;
      const std::string_view container = each->Label("container");
      parts.push_back(
          {.track = each,
           .container = container.empty() ? pod.containers.front().name : std::string(container),
           .where = of == "volumes" ? nullptr
                    : of == "logs"  ? &ContainerStats::logs
                                    : &ContainerStats::rootfs,
           .figure = figure});
    }
    return !parts.empty();
  };
  if (add("jettison_pod_disk_used_bytes", "", &FsUsage::used_bytes)) {
    add("jettison_pod_disk_used_inodes", "", &FsUsage::inodes_used);
  } else if (add("container_fs_usage_bytes", "rootfs", &FsUsage::used_bytes)) {
    // Logs alone do not rank a pod.
    add("kubelet_container_log_filesystem_used_bytes", "logs", &FsUsage::used_bytes);
  }
  return parts;
}

// Figures in the order of preference. For memory that is the agent's figure, the kubelet's own
// figure of the pod, its group, its containers one by one.
void FindFigures(NodeTracks& tracks, ImportedPod& into) {
  const Pod& pod = into.facts->pod;
  const Parts all = tracks.OfPod("container_memory_working_set_bytes", pod);
  const Parts named = With(all, "container", true);
  // Those of /metrics/resource first; cAdvisor names the control group.
  into.memory = FirstOf({tracks.OfPod("jettison_pod_memory_working_set_bytes", pod),
                         tracks.OfPod("pod_memory_working_set_bytes", pod),
                         With(all, "container", false), With(named, "id", false), named});
  const Parts peaks = tracks.OfPod("jettison_pod_memory_peak_bytes", pod);
  if (!peaks.empty() && into.memory.size() == 1) into.peak = peaks.front();
  // The group of the pod has the threads of all its containers in it.
  const Parts threads = tracks.OfPod("container_threads", pod);
  into.tasks = FirstOf(
      {tracks.OfPod("jettison_pod_processes", pod), With(threads, "container", false), threads});
  into.disk = DiskOf(tracks, pod);
}

std::optional<std::uint64_t> SumAt(const Parts& parts, Instant at) {
  std::optional<std::uint64_t> sum;
  for (const Track* part : parts) {
    if (const auto amount = part->CountAt(at)) sum = sum.value_or(0) + *amount;
  }
  return sum;
}

// A pod without disk figures counts as not measured.
void PutDisk(const ImportedPod& pod, Instant at, PodStats& stats) {
  std::optional<FsUsage> volumes;
  for (const auto& [track, container, where, figure] : pod.disk) {
    const auto amount = track->CountAt(at);
    if (!amount) continue;
    for (auto* usage : {&stats.ephemeral_storage,
                        where ? &(ItemNamed(container, stats.containers).*where) : &volumes}) {
      if (!*usage) usage->emplace();
      auto& sum = (**usage).*figure;
      sum = sum.value_or(0) + *amount;
    }
  }
  if (!stats.ephemeral_storage) stats.stale_disk = StaleDisk{};
  if (volumes) stats.volumes.push_back({.name = "volumes", .usage = *volumes});
}

}  // namespace

std::optional<PodStats> ImportedPod::At(Instant at) const {
  if (at < from || at >= to) return std::nullopt;
  const Pod& pod = facts->pod;
  PodStats stats{.uid = pod.uid, .name = pod.name, .namespace_ = pod.namespace_};
  stats.memory_working_set_bytes = SumAt(memory, at);
  // Only its figures show that it runs.
  if (!stats.memory_working_set_bytes) return std::nullopt;
  stats.has_memory = true;
  stats.process_count = SumAt(tasks, at);
  PutDisk(*this, at, stats);
  return stats;
}

std::vector<ImportedPod> CensusOf(NodeTracks& tracks, Profile profile, const ImportOptions& options,
                                  std::vector<std::string>& notes) {
  std::set<std::string> unknown_classes;
  std::vector<ImportedPod> pods;
  for (const Found& found : PodsIn(tracks)) {
    ImportedPod pod{.facts = FactsFor(tracks, found, profile, options, unknown_classes)};
    if (!pods.empty() && FullName(pods.back().facts->pod) == FullName(pod.facts->pod)) {
      pods.back().to = pod.from = found.first;
    }
    FindFigures(tracks, pod);
    pods.push_back(std::move(pod));
  }
  if (!unknown_classes.empty()) {
    notes.push_back(fmt::format(
        "the priority of pods of the class{} {} is not in any series and is taken to be 0; "
        "--priority-class NAME=VALUE says what it is",
        unknown_classes.size() == 1 ? "" : "es", fmt::join(unknown_classes, ", ")));
  }
  const auto count = std::ranges::count_if(pods, &Parts::empty, &ImportedPod::memory);
  if (count > 0) {
    notes.push_back(fmt::format(
        "of {} of {} pods no memory is known (pod_memory_working_set_bytes, "
        "container_memory_working_set_bytes): they are not in the recording, and cannot be "
        "victims in a simulation",
        count, pods.size()));
  }
  return pods;
}

}  // namespace jettison
