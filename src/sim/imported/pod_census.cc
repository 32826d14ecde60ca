#include "sim/imported/pod_census.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/model/priority.h"

namespace jettison {
namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";

// The container that represents all containers of a pod whose requests are only known as a sum.
constexpr std::string_view kWholePod = "pod";

struct Found {
  std::string space;
  std::string name;
  const LabelledTrack* info = nullptr;  // kube_pod_info or jettison_pod_info; null: none
  Instant from;
  Instant to;
  Duration slack{0};
  Instant told_from;  // by `info`
  Instant told_to;
};

// ".../pod0c2a_..." of a control group: the UID of the pod.
std::string UidInGroup(std::string_view id) {
  const std::size_t begin = id.rfind("pod");
  if (begin == std::string_view::npos) return {};
  std::string uid(id.substr(begin + 3));
  uid.resize(std::min(uid.find_first_of("./"), uid.size()));
  std::ranges::replace(uid, '_', '-');
  return uid.size() == 36 ? uid : std::string();
}

std::string UidOf(const MetricSeries& figure) {
  if (!figure.Label("uid").empty()) return std::string(figure.Label("uid"));
  return UidInGroup(figure.Label("id"));
}

// A span that is widened sample by sample.
void Widen(const Track::Point& point, Found& found) {
  if (std::isnan(point.value)) return;
  found.from = std::min(found.from, point.at);
  found.to = std::max(found.to, point.at);
}

class Census {
 public:
  explicit Census(const NodeTracks& tracks) : tracks_(tracks) {}

  std::map<std::string, Found> Take() {
    for (const std::string_view info : {"kube_pod_info", "jettison_pod_info"}) {
      for (const LabelledTrack& each : tracks_.Of(info)) AddInfo(each);
    }
    const auto memory = Memory();
    for (const LabelledTrack* each : memory) {
      const std::string uid = UidOf(each->figure);
      if (!uid.empty()) AddMemory(uid, *each);
    }
    for (const LabelledTrack* each : memory) {
      if (UidOf(each->figure).empty()) AddNameless(*each);
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] static std::string NameOf(const LabelledTrack& each) {
    return fmt::format("{}/{}", each.figure.Label("namespace"), each.figure.Label("pod"));
  }

  [[nodiscard]] std::vector<const LabelledTrack*> Memory() const {
    std::vector<const LabelledTrack*> memory;
    for (const std::string_view metric :
         {"jettison_pod_memory_working_set_bytes", "pod_memory_working_set_bytes",
          "container_memory_working_set_bytes"}) {
      for (const LabelledTrack& each : tracks_.Of(metric)) {
        if (!each.figure.Label("pod").empty()) memory.push_back(&each);
      }
    }
    return memory;
  }

  Found& FoundOf(const std::string& uid, const LabelledTrack& each) {
    const auto& points = each.track.points();
    const auto [place, is_new] =
        found_.try_emplace(uid, Found{.space = std::string(each.figure.Label("namespace")),
                                      .name = std::string(each.figure.Label("pod")),
                                      .from = points.front().at,
                                      .to = points.back().at});
    if (is_new) uids_[NameOf(each)].push_back(uid);
    return place->second;
  }

  void AddInfo(const LabelledTrack& each) {
    const std::string uid = UidOf(each.figure);
    Found& found = FoundOf(uid.empty() ? NameOf(each) : uid, each);
    if (found.info == nullptr) found.info = &each;
    found.slack = std::max(found.slack, each.track.interval());
    found.told_from = found.from = std::min(found.from, each.track.points().front().at);
    found.told_to = found.to = std::max(found.to, each.track.points().back().at);
  }

  // kube-state-metrics may not have been scraped for all of the time that the pod was there.
  void AddMemory(const std::string& uid, const LabelledTrack& each) {
    Found& found = FoundOf(uid, each);
    for (const Track::Point& point : each.track.points()) Widen(point, found);
    if (found.info == nullptr) found.slack = std::max(found.slack, each.track.interval());
  }

  // A sample without a UID is of the pod of that name which was the last one to begin before it;
  // before all of them, of the first.
  void AddNameless(const LabelledTrack& each) {
    std::vector<std::string>& uids = uids_[NameOf(each)];
    if (uids.empty()) return AddMemory(NameOf(each), each);
    std::ranges::sort(uids, {}, [&](const std::string& uid) { return found_.at(uid).from; });
    std::size_t at = 0;
    for (const Track::Point& point : each.track.points()) {
      while (at + 1 < uids.size() && found_.at(uids[at + 1]).from <= point.at) ++at;
      Widen(point, found_.at(uids[at]));
    }
  }

  const NodeTracks& tracks_;
  std::map<std::string, Found> found_;                    // by UID
  std::map<std::string, std::vector<std::string>> uids_;  // of each namespace and name
};

// A pod of which more is known than its info tells.
void NoteWidened(const Found& found, ImportNotes& notes) {
  if (found.info == nullptr || (Elapsed(found.from, found.told_from) <= kStaleness &&
                                Elapsed(found.told_to, found.to) <= kStaleness)) {
    return;
  }
  notes.Add("pods without their info",
            fmt::format("{} tells of {}/{} only from {} to {}, but its memory is known from {} to "
                        "{}: it is taken to have been the same pod all that time",
                        found.info->figure.name, found.space, found.name,
                        FormatInstant(found.told_from), FormatInstant(found.told_to),
                        FormatInstant(found.from), FormatInstant(found.to)));
}

// The state of a pod in a metric of kube-state-metrics, which has one series for each state; the
// series of the present state is 1.
std::string StateOf(const NodeTracks& tracks, const Pod& pod, std::string_view metric,
                    std::string_view label) {
  for (const LabelledTrack* each : tracks.OfPod(metric, pod)) {
    if (!IsOfPod(each->figure, pod)) continue;
    const auto& points = each->track.points();
    if (std::ranges::any_of(points, [](const auto& point) { return point.value == 1; })) {
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
  FactsMaker(const NodeTracks& tracks, const PodAssumptions& assumptions, ImportNotes& notes)
      : tracks_(tracks), assumptions_(assumptions), notes_(notes) {}

  std::shared_ptr<const PodFacts> Make(const std::string& uid, const Found& found) {
    Pod pod{.name = found.name, .namespace_ = found.space, .uid = uid};
    AddResources("kube_pod_container_resource_requests", &ResourceRequirements::requests, pod);
    AddResources("kube_pod_container_resource_limits", &ResourceRequirements::limits, pod);
    AddResources("jettison_pod_request_bytes", &ResourceRequirements::requests, pod);
    AddResources("jettison_pod_limit_bytes", &ResourceRequirements::limits, pod);
    AddContainers(pod);
    SetPriority(found, pod);
    SetQos(found, pod);
    if (StateOf(tracks_, pod, "kube_pod_owner", "owner_kind") == "Node") {
      pod.annotations.emplace(kMirror, "imported");
    }
    for (const LabelledTrack* each : tracks_.OfPod("jettison_pod_disk_used_bytes", pod)) {
      if (!IsOfPod(each->figure, pod) || each->figure.Label("kind") != "volumes") continue;
      pod.volumes.push_back({.name = "volumes", .source = EmptyDirSource{}});
    }
    PodFacts facts = FactsOf(std::move(pod), ProfileOf(tracks_, assumptions_));
    TakeOwn(found, facts);
    return std::make_shared<const PodFacts>(std::move(facts));
  }

  void NoteUnknown() {
    if (unknown_classes_.empty()) return;
    notes_.AddOnce(fmt::format(
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
      if (!IsOfPod(each->figure, pod) || !value) continue;
      const std::string_view name = each->figure.Label("container");
      Container& container = ContainerNamed(name.empty() ? kWholePod : name, pod);
      const std::string_view resource = each->figure.Label("resource");
      // kube-state-metrics writes "ephemeral_storage".
      std::string kind(resource);
      std::ranges::replace(kind, '_', '-');
      (container.resources.*list)[kind] = AmountOf(kind, *value);
    }
  }

  void AddContainers(Pod& pod) const {
    for (const LabelledTrack* each : tracks_.OfPod("container_memory_working_set_bytes", pod)) {
      const std::string_view name = each->figure.Label("container");
      if (!name.empty() && IsOfPod(each->figure, pod)) ContainerNamed(name, pod);
    }
    if (pod.containers.empty()) ContainerNamed(kWholePod, pod);
  }

  void SetPriority(const Found& found, Pod& pod) {
    for (const LabelledTrack* each : tracks_.OfPod("jettison_pod_priority", pod)) {
      const auto value = LastOf(each->track);
      if (IsOfPod(each->figure, pod) && value) pod.priority = static_cast<std::int32_t>(*value);
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

  void SetQos(const Found& found, Pod& pod) const {
    std::string qos = StateOf(tracks_, pod, "kube_pod_status_qos_class", "qos_class");
    if (qos.empty() && found.info != nullptr) qos = found.info->figure.Label("qos_class");
    pod.status_qos_class = QosClassNamed(qos);
  }

  void TakeOwn(const Found& found, PodFacts& facts) const {
    facts.source = PodOrigin::kKubernetes;
    if (found.info == nullptr || found.info->figure.name != "jettison_pod_info") return;
    const std::string_view source = found.info->figure.Label("source");
    for (const PodOrigin origin : {PodOrigin::kOwn, PodOrigin::kRuntime, PodOrigin::kKubernetes}) {
      if (NameOf(origin) == source) facts.source = origin;
    }
    const std::string_view protection = found.info->figure.Label("protection");
    for (const Protection each :
         {Protection::kNone, Protection::kCritical, Protection::kObserved}) {
      if (NameOf(each) == protection) facts.protection = each;
    }
  }

  const NodeTracks& tracks_;
  const PodAssumptions& assumptions_;
  ImportNotes& notes_;
  std::set<std::string> unknown_classes_;
};

void NoteMissing(const NodeTracks& tracks, ImportNotes& notes) {
  const bool own = tracks.Has("jettison_pod_info");
  if (!own && !tracks.Has("kube_pod_info")) {
    notes.AddOnce(
        "kube_pod_info is missing, so pods are those that have memory figures, two pods of one "
        "name are taken for one, and priorities are taken to be 0: a pod that its priority "
        "protects may be named as a victim");
  }
  if (!own && !tracks.Has("kube_pod_container_resource_requests")) {
    notes.AddOnce(
        "kube_pod_container_resource_requests is missing, so pods are taken to request nothing: "
        "which pod exceeds its request, and so who is evicted first, cannot be told");
  }
  if (!own && !tracks.Has("kube_pod_container_resource_limits")) {
    notes.AddOnce(
        "kube_pod_container_resource_limits is missing, so a pod that a policy does not evict may "
        "grow beyond its own limit, and no OOM kill is predicted for it");
  }
  if (!own && !tracks.Has("kube_pod_status_qos_class")) {
    notes.AddOnce(
        "kube_pod_status_qos_class is missing, so QoS classes are worked out from requests and "
        "limits");
  }
  if (!own && !tracks.Has("kube_pod_owner")) {
    notes.AddOnce(
        "kube_pod_owner is missing, so static pods cannot be told from others: one of low priority "
        "may be named as a victim although the kubelet never evicts it");
  }
}

}  // namespace

Profile ProfileOf(const NodeTracks& tracks, const PodAssumptions& assumptions) {
  if (assumptions.profile) return *assumptions.profile;
  const bool own = tracks.Find("jettison_pod_info", {{"source", "own"}}) != nullptr;
  return own ? Profile::kStandalone : Profile::kKubelet;
}

bool IsOfPod(const MetricSeries& figure, const Pod& pod) {
  if (figure.Label("namespace") != pod.namespace_ || figure.Label("pod") != pod.name) return false;
  const std::string uid = UidOf(figure);
  return uid.empty() || uid == pod.uid || pod.uid == FullName(pod);
}

std::vector<ImportedPod> CensusOf(const NodeTracks& tracks, const PodAssumptions& assumptions,
                                  ImportNotes& notes) {
  NoteMissing(tracks, notes);
  FactsMaker facts(tracks, assumptions, notes);
  std::vector<ImportedPod> pods;
  for (const auto& [uid, found] : Census(tracks).Take()) {
    NoteWidened(found, notes);
    ImportedPod pod{
        .facts = facts.Make(uid, found), .from = found.from, .to = found.to, .slack = found.slack};
    for (const LabelledTrack* each : tracks.OfPod("kube_pod_status_phase", pod.facts->pod)) {
      const bool is_running = each->figure.Label("phase") == "Running";
      if (is_running && IsOfPod(each->figure, pod.facts->pod)) pod.running = &each->track;
    }
    pods.push_back(std::move(pod));
  }
  facts.NoteUnknown();
  std::ranges::sort(pods, [](const ImportedPod& a, const ImportedPod& b) {
    const Pod& x = a.facts->pod;
    const Pod& y = b.facts->pod;
    return std::tie(x.namespace_, x.name, a.from, x.uid) <
           std::tie(y.namespace_, y.name, b.from, y.uid);
  });
  return pods;
}

}  // namespace jettison
