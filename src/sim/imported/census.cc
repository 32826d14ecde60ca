#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/model/pod.h"
#include "sim/imported/pods.h"

namespace jettison {
namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";

// The container that represents all containers of a pod whose requests are only known as a sum.
constexpr std::string_view kWholePod = "pod";

struct Found {
  std::string uid;  // "namespace/name" where no series tells it
  std::string space;
  std::string name;
  Instant first;                        // sample
  const LabelledTrack* info = nullptr;  // kube_pod_info or jettison_pod_info; null: none
};

std::string NameOf(const LabelledTrack& each) {
  return fmt::format("{}/{}", each.figure.Label("namespace"), each.figure.Label("pod"));
}

// Which pods there were, by namespace and name, and by time where two have the same.
std::vector<Found> PodsIn(const NodeTracks& tracks) {
  std::map<std::string, Found> found;  // by UID
  std::set<std::string> names;
  const auto add = [&](const LabelledTrack& each, const std::string& uid) -> Found& {
    const Instant first = each.track.points().front().at;
    Found& pod = found
                     .try_emplace(uid, Found{.uid = uid,
                                             .space = std::string(each.figure.Label("namespace")),
                                             .name = std::string(each.figure.Label("pod")),
                                             .first = first})
                     .first->second;
    pod.first = std::min(pod.first, first);
    names.insert(NameOf(each));
    return pod;
  };
  for (const std::string_view info : {"kube_pod_info", "jettison_pod_info"}) {
    for (const LabelledTrack& each : tracks.Of(info)) {
      const std::string uid = UidOf(each.figure);
      Found& pod = add(each, uid.empty() ? NameOf(each) : uid);
      if (pod.info == nullptr) pod.info = &each;
    }
  }
  constexpr std::string_view kMemory[] = {"jettison_pod_memory_working_set_bytes",
                                          "pod_memory_working_set_bytes",
                                          "container_memory_working_set_bytes"};
  for (const bool has_uid : {true, false}) {
    for (const std::string_view metric : kMemory) {
      for (const LabelledTrack& each : tracks.Of(metric)) {
        const std::string uid = UidOf(each.figure);
        if (each.figure.Label("pod").empty() || uid.empty() == has_uid) continue;
        if (has_uid) add(each, uid);
        if (!has_uid && !names.contains(NameOf(each))) add(each, NameOf(each));
      }
    }
  }
  std::vector<Found> pods;
  for (auto& [uid, pod] : found) pods.push_back(std::move(pod));
  std::ranges::sort(
      pods, {}, [](const Found& pod) { return std::tie(pod.space, pod.name, pod.first, pod.uid); });
  return pods;
}

// The state of a pod in a metric of kube-state-metrics, which has one series for each state; the
// series of the present state is 1.
std::string StateOf(const NodeTracks& tracks, const Pod& pod, std::string_view metric,
                    std::string_view label) {
  for (const LabelledTrack* each : tracks.OfPod(metric, pod)) {
    const auto& points = each->track.points();
    if (std::ranges::find(points, 1, &Track::Point::value) != points.end()) {
      return std::string(each->figure.Label(label));
    }
  }
  return {};
}

// The last value which is a number.
std::optional<double> LastOf(const Track& track) {
  for (auto point = track.points().rbegin(); point != track.points().rend(); ++point) {
    if (std::isfinite(point->value)) return point->value;
  }
  return std::nullopt;
}

Quantity AmountOf(std::string_view resource, double value) {
  constexpr double kMilli = 1e3;
  constexpr double kMost = 9e18;
  if (resource == "cpu") {
    const auto parsed = Quantity::Parse(fmt::format("{}m", std::llround(value * kMilli)));
    return parsed ? *parsed : Quantity();
  }
  return Quantity::Of(static_cast<std::int64_t>(std::clamp(value, 0.0, kMost)));
}

class FactsMaker {
 public:
  FactsMaker(const NodeTracks& tracks, const PodAssumptions& assumptions)
      : tracks_(tracks), assumptions_(assumptions) {}

  std::shared_ptr<const PodFacts> Make(const Found& found) {
    Pod pod{.name = found.name, .namespace_ = found.space, .uid = found.uid};
    AddResources("kube_pod_container_resource_requests", &ResourceRequirements::requests, pod);
    AddResources("kube_pod_container_resource_limits", &ResourceRequirements::limits, pod);
    AddResources("jettison_pod_request_bytes", &ResourceRequirements::requests, pod);
    AddResources("jettison_pod_limit_bytes", &ResourceRequirements::limits, pod);
    for (const LabelledTrack* each : tracks_.OfPod("container_memory_working_set_bytes", pod)) {
      const std::string_view name = each->figure.Label("container");
      if (!name.empty()) ContainerNamed(name, pod);
    }
    if (pod.containers.empty()) ContainerNamed(kWholePod, pod);
    SetPriority(found, pod);
    std::string qos = StateOf(tracks_, pod, "kube_pod_status_qos_class", "qos_class");
    if (qos.empty() && found.info != nullptr) qos = found.info->figure.Label("qos_class");
    pod.status_qos_class = QosClassNamed(qos);
    if (StateOf(tracks_, pod, "kube_pod_owner", "owner_kind") == "Node") {
      pod.annotations.emplace(kMirror, "imported");
    }
    for (const LabelledTrack* each : tracks_.OfPod("jettison_pod_disk_used_bytes", pod)) {
      if (each->figure.Label("kind") != "volumes") continue;
      pod.volumes.push_back({.name = "volumes", .source = EmptyDirSource{}});
    }
    PodFacts facts = FactsOf(std::move(pod), ProfileOf(tracks_, assumptions_));
    TakeOwn(found, facts);
    return std::make_shared<const PodFacts>(std::move(facts));
  }

  void NoteUnknown(ImportNotes& notes) const {
    if (unknown_classes_.empty()) return;
    notes.Add(fmt::format(
        "the priority of pods of the class{} {} is not in any series and is taken to be 0; "
        "--priority-class NAME=VALUE says what it is",
        unknown_classes_.size() == 1 ? "" : "es", fmt::join(unknown_classes_, ", ")));
  }

 private:
  static Container& ContainerNamed(std::string_view name, Pod& pod) {
    const auto found = std::ranges::find(pod.containers, name, &Container::name);
    if (found != pod.containers.end()) return *found;
    pod.containers.push_back({.name = std::string(name)});
    return pod.containers.back();
  }

  void AddResources(std::string_view metric, ResourceList ResourceRequirements::*list, Pod& pod) {
    for (const LabelledTrack* each : tracks_.OfPod(metric, pod)) {
      const auto value = LastOf(each->track);
      if (!value) continue;
      const std::string_view name = each->figure.Label("container");
      Container& container = ContainerNamed(name.empty() ? kWholePod : name, pod);
      // kube-state-metrics writes "ephemeral_storage".
      std::string kind(each->figure.Label("resource"));
      std::ranges::replace(kind, '_', '-');
      (container.resources.*list)[kind] = AmountOf(kind, *value);
    }
  }

  void SetPriority(const Found& found, Pod& pod) {
    for (const LabelledTrack* each : tracks_.OfPod("jettison_pod_priority", pod)) {
      if (const auto value = LastOf(each->track)) pod.priority = static_cast<std::int32_t>(*value);
    }
    if (found.info != nullptr) {
      pod.priority_class_name = std::string(found.info->figure.Label("priority_class"));
    }
    if (pod.priority || pod.priority_class_name.empty()) return;
    pod.priority = PriorityOfClass(pod.priority_class_name);
    if (pod.priority) return;
    const auto told = assumptions_.priority_classes.find(pod.priority_class_name);
    if (told != assumptions_.priority_classes.end()) {
      pod.priority = told->second;
    } else {
      unknown_classes_.insert(pod.priority_class_name);
    }
  }

  static void TakeOwn(const Found& found, PodFacts& facts) {
    facts.source = PodOrigin::kKubernetes;
    if (found.info == nullptr || found.info->figure.name != "jettison_pod_info") return;
    for (const PodOrigin origin : {PodOrigin::kOwn, PodOrigin::kRuntime, PodOrigin::kKubernetes}) {
      if (NameOf(origin) == found.info->figure.Label("source")) facts.source = origin;
    }
    for (const Protection each :
         {Protection::kNone, Protection::kCritical, Protection::kObserved}) {
      if (NameOf(each) == found.info->figure.Label("protection")) facts.protection = each;
    }
  }

  const NodeTracks& tracks_;
  const PodAssumptions& assumptions_;
  std::set<std::string> unknown_classes_;
};

struct CostRow {
  std::string_view metric;
  std::string_view instead;  // the metric that says the same
  std::string_view cost;     // without both
};

constexpr CostRow kCosts[] = {
    {"kube_pod_info", "jettison_pod_info",
     "pods are those that have memory figures, two pods of one name are taken for one, and "
     "priorities are taken to be 0: a pod that its priority protects may be named as a victim"},
    {"kube_pod_container_resource_requests", "jettison_pod_info",
     "pods are taken to request nothing: which pod exceeds its request, and so who is evicted "
     "first, cannot be told"},
    {"kube_pod_container_resource_limits", "jettison_pod_info",
     "a pod that a policy does not evict may grow beyond its own limit, and no OOM kill is "
     "predicted for it"},
    {"kube_pod_status_qos_class", "jettison_pod_info",
     "QoS classes are worked out from requests and limits"},
    {"kube_pod_owner", "jettison_pod_info",
     "static pods cannot be told from others: one of low priority may be named as a victim "
     "although the kubelet never evicts it"},
    {"kubelet_evictions", "",
     "for which signal a pod was evicted is not known, and is taken to be memory.available"},
    {"kube_pod_status_reason", "jettison_pod_evictions_total",
     "which pods were evicted is not known: the recording has no evictions, and says nothing of "
     "how "
     "well a simulation finds them"},
    {"container_oom_events_total", "jettison_pod_oom_kills_total",
     "OOM kills are not known: a pod that the kernel killed looks like one that ended by itself"},
    {"node_processes_threads", "jettison_signal_available",
     "thresholds on pid.available are never met in this recording (node_exporter has it with "
     "--collector.processes)"},
};

void NoteMissing(const NodeTracks& tracks, const std::vector<ImportedPod>& pods,
                 ImportNotes& notes) {
  for (const auto& [metric, instead, cost] : kCosts) {
    if (tracks.Has(metric) || tracks.Has(instead)) continue;
    notes.Add(fmt::format("{} is missing, so {}", metric, cost));
  }
  const auto without = [&](auto has) {
    return std::ranges::count_if(pods, [&](const ImportedPod& pod) { return !(pod.*has)(); });
  };
  if (const auto count = without(&ImportedPod::has_memory); count > 0) {
    notes.Add(fmt::format(
        "of {} of {} pods no memory is known (pod_memory_working_set_bytes, "
        "container_memory_working_set_bytes): they are not in the recording, and cannot be "
        "victims in a simulation",
        count, pods.size()));
  }
  if (const auto count = without(&ImportedPod::has_disk); count > 0) {
    notes.Add(fmt::format(
        "of {} of {} pods it is not known what they have on disk (container_fs_usage_bytes, "
        "jettison_pod_disk_used_bytes): who is evicted for a disk cannot be told, and no "
        "simulation evicts them for one",
        count, pods.size()));
  } else if (!tracks.Has("jettison_pod_disk_used_bytes") && !pods.empty()) {
    notes.Add(
        "of the disk use of pods only writable layers and logs are known, not their volumes: the "
        "order in which pods are evicted for a disk may differ");
  }
}

}  // namespace

Profile ProfileOf(const NodeTracks& tracks, const PodAssumptions& assumptions) {
  if (assumptions.profile) return *assumptions.profile;
  const bool own = tracks.Find("jettison_pod_info", {{"source", "own"}}) != nullptr;
  return own ? Profile::kStandalone : Profile::kKubelet;
}

std::vector<ImportedPod> CensusOf(const NodeTracks& tracks, const PodAssumptions& assumptions,
                                  ImportNotes& notes) {
  FactsMaker facts(tracks, assumptions);
  std::vector<ImportedPod> pods;
  const std::vector<Found> all = PodsIn(tracks);
  const auto are_namesakes = [&](std::size_t a, std::size_t b) {
    return all[a].space == all[b].space && all[a].name == all[b].name;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    ImportedPod::Span span;
    if (i > 0 && are_namesakes(i - 1, i)) span.from = all[i].first;
    if (i + 1 < all.size() && are_namesakes(i, i + 1)) span.to = all[i + 1].first;
    pods.emplace_back(tracks, facts.Make(all[i]), span);
  }
  NoteMissing(tracks, pods, notes);
  facts.NoteUnknown(notes);
  return pods;
}

}  // namespace jettison
