#include "sim/imported/figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/model/pod.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

// The figure of the mount that has the path: of the longest mount point that the path begins with.
Track* MountOf(NodeTracks& tracks, const std::string& path) {
  Track* found = nullptr;
  for (Track& each : tracks.Of("node_filesystem_avail_bytes")) {
    const std::string_view mountpoint = each.Label("mountpoint");
    const bool holds = mountpoint == "/" || path == mountpoint ||
                       (path.starts_with(mountpoint) && path[mountpoint.size()] == '/');
    if (mountpoint.empty() || !holds) continue;
    if (found == nullptr || mountpoint.size() > found->Label("mountpoint").size()) found = &each;
  }
  return found;
}

// The first figure of a signal counts of which there are both.
void Take(NodeFigures& into, Signal signal, Track* amount, const Track* capacity, bool is_used) {
  NodeFigures::Figure& figure = into.figures[IndexOf(signal)];
  if (figure.amount != nullptr || amount == nullptr || capacity == nullptr) return;
  figure = {.amount = amount, .capacity = capacity, .is_used = is_used};
}

void TakeDisks(NodeTracks& tracks, const ImportOptions& options, NodeFigures& into,
               std::vector<std::string>& notes) {
  if (const auto& node = into.Of(Signal::kNodeFsAvailable); node.amount != nullptr) {
    const auto& image = into.Of(Signal::kImageFsAvailable);
    into.layout.dedicated_image_fs =
        image.amount != nullptr &&
        image.capacity->samples.front().value != node.capacity->samples.front().value;
    return;
  }
  Track* node = MountOf(tracks, options.node_fs);
  Track* image = MountOf(tracks, options.image_fs);
  if (node == nullptr || image == nullptr) return;
  const auto take_mount = [&](Track& mount, Signal bytes, Signal inodes) {
    const auto of = [&](std::string_view metric) {
      return tracks.Find(
          metric, {{"mountpoint", mount.Label("mountpoint")}, {"device", mount.Label("device")}});
    };
    Take(into, bytes, &mount, of("node_filesystem_size_bytes"), false);
    Take(into, inodes, of("node_filesystem_files_free"), of("node_filesystem_files"), false);
  };
  take_mount(*node, Signal::kNodeFsAvailable, Signal::kNodeFsInodesFree);
  take_mount(*image, Signal::kImageFsAvailable, Signal::kImageFsInodesFree);
  into.layout.dedicated_image_fs = node->Label("device") != image->Label("device");
  notes.push_back(fmt::format(
      "nodefs is taken to be what is mounted at {}, which holds {}, and imagefs what is mounted at "
      "{}, which holds {}: {}",
      node->Label("mountpoint"), options.node_fs, image->Label("mountpoint"), options.image_fs,
      into.layout.dedicated_image_fs ? "images have a file system of their own"
                                     : "it is one file system"));
}

struct Left {
  double available = 0;
  double capacity = 0;
};

std::optional<Left> LeftAt(const NodeFigures::Figure& figure, Instant at) {
  const auto amount = figure.amount ? figure.amount->At(at) : std::nullopt;
  if (!amount) return std::nullopt;
  const MetricSample* const told = figure.capacity->LastBefore(at + Duration{1});
  if (told == nullptr || Elapsed(told->at, at) > kStaleness || told->value <= 0) return {};
  const double left = std::max(figure.is_used ? told->value - *amount : *amount, 0.0);
  return Left{.available = left, .capacity = std::max(told->value, left)};
}

// The opposite of what core/observe does.
void Put(const SignalRow& row, const Left& left, Instant at, NodeStats& stats) {
  const std::uint64_t available = CountOf(left.available);
  const std::uint64_t capacity = CountOf(left.capacity);
  if (row.stall) {
    auto& pressure = row.resource == Resource::kMemory ? stats.memory_pressure : stats.io_pressure;
    if (!pressure) pressure.emplace().time = at;
    StallShares& shares = row.stall->kind == StallKind::kFull ? pressure->full : pressure->some;
    (row.stall->window == kFullAvg10.window ? shares.avg10 : shares.avg60) =
        static_cast<std::int32_t>(
            std::lround(std::clamp(1 - left.available, 0.0, 1.0) * kWholeTime));
    return;
  }
  const auto disk = [&]() -> FsStats& {
    auto& fs = row.disk == FileSystem::kNode ? stats.fs : stats.image_fs;
    if (!fs) fs.emplace().time = at;
    return *fs;
  };
  switch (row.resource) {
    case Resource::kMemory:
      (row.of_pods ? stats.pods_memory : stats.memory) =
          MemoryStats{.time = at,
                      .available_bytes = available,
                      .usage_bytes = std::nullopt,
                      .working_set_bytes = capacity - available};
      break;
    case Resource::kSwap:
      stats.swap =
          SwapStats{.time = at, .available_bytes = available, .usage_bytes = capacity - available};
      break;
    case Resource::kEphemeralStorage:
      disk().available_bytes = available;
      disk().capacity_bytes = capacity;
      break;
    case Resource::kInodes:
      disk().inodes_free = available;
      disk().inodes = capacity;
      break;
    case Resource::kPids:
      stats.rlimit = RlimitStats{.time = at,
                                 .max_pid = static_cast<std::int64_t>(capacity),
                                 .running = static_cast<std::int64_t>(capacity - available)};
      break;
    case Resource::kIo: break;  // its signals are those of stalls
  }
}

}  // namespace

Result<NodeFigures> NodeFiguresIn(NodeTracks& tracks, const ImportOptions& options,
                                  std::vector<std::string>& notes) {
  NodeFigures all;
  for (const Signal signal : kAllSignals) {
    const NodeTracks::Labels labels = {{"signal", NameOf(signal)}};
    Take(all, signal, tracks.Find("jettison_signal_available", labels),
         tracks.Find("jettison_signal_capacity", labels), false);
    all.figures[IndexOf(signal)].least = tracks.Find("jettison_signal_available_min", labels);
  }
  for (Track* const used : {tracks.Find("node_memory_working_set_bytes"),
                            tracks.Find("container_memory_working_set_bytes", {{"id", "/"}})}) {
    for (const Track* const capacity :
         {tracks.Find("kube_node_status_capacity", {{"resource", "memory"}}),
          tracks.Find("machine_memory_bytes"), tracks.Find("node_memory_MemTotal_bytes")}) {
      Take(all, Signal::kMemoryAvailable, used, capacity, true);
    }
  }
  for (const std::string_view id : {"/kubepods.slice", "/kubepods"}) {
    const Track* const limit = tracks.Find("container_spec_memory_limit_bytes", {{"id", id}});
    // cAdvisor tells 0 of a group that has no limit.
    if (limit == nullptr || std::ranges::none_of(limit->samples, [](const MetricSample& sample) {
          return sample.value > 0;
        })) {
      continue;
    }
    Take(all, Signal::kAllocatableMemoryAvailable,
         tracks.Find("container_memory_working_set_bytes", {{"id", id}}), limit, true);
  }
  Take(all, Signal::kPidAvailable, tracks.Find("node_processes_threads"),
       tracks.Find("node_processes_max_processes"), true);
  if (all.Of(Signal::kMemoryAvailable).amount == nullptr) {
    return Fail(ErrorCode::kNotFound,
                "no series gives the node's memory: there must be jettison_signal_available with "
                "jettison_signal_capacity, node_memory_working_set_bytes (/metrics/resource) with "
                "kube_node_status_capacity, machine_memory_bytes or node_memory_MemTotal_bytes");
  }
  TakeDisks(tracks, options, all, notes);
  return all;
}

void NodeFigures::GrowTo(Instant at) {
  for (const Signal signal : {Signal::kMemoryAvailable, Signal::kAllocatableMemoryAvailable}) {
    const Figure& figure = Of(signal);
    if (figure.amount != nullptr) figure.amount->GrowTo(at, figure.is_used, figure.least);
  }
}

NodeStats NodeFigures::At(const std::string& node, Instant at) const {
  NodeStats stats{.node_name = node};
  for (const Signal signal : kAllSignals) {
    const SignalRow& row = RowOf(signal);
    if (row.disk == FileSystem::kContainer) continue;
    if (const auto left = LeftAt(Of(signal), at)) Put(row, *left, at, stats);
  }
  // Writable layers are beside the images, unless the file systems are split.
  stats.container_fs = layout.dedicated_image_fs ? stats.image_fs : stats.fs;
  return stats;
}

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
      const Instant first = each.samples.front().at;
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
    (container.resources.*list)[kind] = AmountOf(kind, each->samples.back().value);
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
                     : static_cast<std::int32_t>(priorities.front()->samples.back().value);
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
  facts.source = EnumeratorNamed<PodOrigin>(info("source")).value_or(PodOrigin::kKubernetes);
  const auto protection = EnumeratorNamed<Protection>(info("protection"));
  if (protection && *protection != Protection::kSpared) facts.protection = *protection;
  return std::make_shared<const PodFacts>(std::move(facts));
}

using Parts = std::vector<Track*>;

struct PodSeries {
  std::string_view metric;
  std::string_view without;  // this label
};

// In the order of preference: the agent's figure, that of the pod, of its group, which has no name
// of a container, and of its containers, which in /metrics/resource name no group.
constexpr PodSeries kMemorySeries[] = {{"jettison_pod_memory_working_set_bytes", ""},
                                       {"pod_memory_working_set_bytes", ""},
                                       {"container_memory_working_set_bytes", "container"},
                                       {"container_memory_working_set_bytes", "id"},
                                       {"container_memory_working_set_bytes", ""}};
constexpr PodSeries kTaskSeries[] = {
    {"jettison_pod_processes", ""}, {"container_threads", "container"}, {"container_threads", ""}};

// Those of the first series that exists.
Parts FirstOf(std::span<const PodSeries> series, NodeTracks& tracks, const Pod& pod) {
  for (const auto& [metric, without] : series) {
    Parts parts = tracks.OfPod(metric, pod);
    std::erase_if(parts, [&](const Track* part) { return !part->Label(without).empty(); });
    if (!parts.empty()) return parts;
  }
  return {};
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
    pod.memory = FirstOf(kMemorySeries, tracks, pod.facts->pod);
    pod.tasks = FirstOf(kTaskSeries, tracks, pod.facts->pod);
    pod.disk = DiskOf(tracks, pod.facts->pod);
    const Parts peaks = tracks.OfPod("jettison_pod_memory_peak_bytes", pod.facts->pod);
    if (!peaks.empty() && pod.memory.size() == 1) pod.peak = peaks.front();
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
