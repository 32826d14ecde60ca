#include "sources/foreign/found_foreign_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "containers/cri_container.h"
#include "core/model/pod.h"
#include "core/text/number.h"
#include "kernel/files/paths.h"
#include "kernel/groups/layout/cgroup_layout.h"

namespace jettison {
namespace {

using kernel::IsPathSegment;

template <typename Map>
const std::string* ValueOf(const Map& map, std::string_view name) {
  const auto it = map.find(std::string(name));
  return it == map.end() ? nullptr : &it->second;
}

// The label where it is a valid name, otherwise the given name, otherwise `otherwise`.
std::string NameOf(const std::string* label, const std::string& given,
                   const std::string& otherwise) {
  if (label != nullptr && IsPathSegment(*label)) return *label;
  return IsPathSegment(given) ? given : otherwise;
}

std::string_view ParentGroup(std::string_view group) {
  const std::size_t slash = group.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : group.substr(0, slash);
}

// Whether a group is named as the kubelet names that of a pod: "pod<uid>", or with systemd
// "kubepods-burstable-pod<uid>.slice", where the UID has "_" for "-".
bool IsGroupOfPod(std::string_view group, std::string_view uid) {
  if (uid.empty()) return false;
  const std::size_t slash = group.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? group : group.substr(slash + 1);
  std::string unit(uid);
  std::replace(unit.begin(), unit.end(), '-', '_');
  return name == fmt::format("pod{}", uid) || name.ends_with(fmt::format("-pod{}.slice", unit));
}

// The QoS class by the group's place in Kubernetes' layout; absent for a group outside it.
std::optional<QosClass> QosByGroup(std::string_view group) {
  if (!group.starts_with(kernel::kPodsGroup)) return std::nullopt;
  const std::string_view pod = ParentGroup(group);
  if (pod.find("besteffort") != std::string_view::npos) return QosClass::kBestEffort;
  if (pod.find("burstable") != std::string_view::npos) return QosClass::kBurstable;
  return QosClass::kGuaranteed;
}

Container ContainerOf(const ForeignContainer& found) {
  Container container;
  container.name = found.name;
  container.image = found.image;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (found.memory_limit && *found.memory_limit <= kMost) {
    container.resources.limits[std::string(kMemoryResource)] =
        Quantity::Of(static_cast<std::int64_t>(*found.memory_limit));
  }
  if (found.milli_cpu) {
    container.resources.requests["cpu"] = *Quantity::Parse(fmt::format("{}m", *found.milli_cpu));
  }
  return container;
}

// Applies the settings that the owner of a pod makes in annotations, or else in labels.
void TakeOwnerSettings(const ForeignIdentity& identity, ForeignReading& reading) {
  Pod& pod = reading.pod;
  const auto apply = [&](std::string_view name, const auto& take) {
    const std::string key = fmt::format("jettison.io/{}", name);
    const std::string* text = ValueOf(identity.annotations, key);
    if (text == nullptr) text = ValueOf(identity.labels, key);
    if (text != nullptr && !take(*text)) reading.ignored.push_back(key + ": " + *text);
  };
  apply("priority", [&](const std::string& text) {
    pod.priority = ParseNumber<std::int32_t>(text);
    return pod.priority.has_value();
  });
  apply("qos", [&](const std::string& text) {
    const auto qos = EnumeratorNamed<QosClass>(text);
    if (qos) pod.status_qos_class = qos;
    return qos.has_value();
  });
  // An amount for the whole pod is set on its first container and replaces what was found for any
  // container. Pod-level resources cannot be used, because they have no ephemeral storage.
  const auto apply_amount = [&](ResourceSide side, std::string_view side_name,
                                std::string_view resource) {
    apply(fmt::format("{}.{}", side_name, resource), [&](const std::string& text) {
      auto amount = Quantity::Parse(text);
      if (!amount || amount->Sign() < 0) return false;
      const std::string name(resource);
      for (Container& container : pod.containers) (container.resources.*side).erase(name);
      if (pod.containers.empty()) return true;
      (pod.containers.front().resources.*side)[name] = std::move(*amount);
      return true;
    });
  };
  for (const std::string_view resource :
       {std::string_view("cpu"), kMemoryResource, kEphemeralStorageResource}) {
    apply_amount(&ResourceRequirements::requests, "requests", resource);
  }
  apply_amount(&ResourceRequirements::limits, "limits", kMemoryResource);
}

// The kubelet writes the annotation on containers; other software may write it on the sandbox.
std::optional<std::int64_t> GracePeriodOf(const ForeignIdentity& identity,
                                          const std::vector<ForeignContainer>& containers) {
  const std::string* text = ValueOf(identity.annotations, kGracePeriodAnnotation);
  for (const ForeignContainer& container : containers) {
    if (text != nullptr) break;
    text = container.grace_period ? &*container.grace_period : nullptr;
  }
  const auto seconds = text == nullptr ? std::nullopt : ParseNumber<std::int64_t>(*text);
  return seconds && *seconds >= 0 ? seconds : std::nullopt;
}

}  // namespace

void NameContainers(std::vector<ForeignContainer>& containers) {
  std::set<std::string> taken;
  for (ForeignContainer& container : containers) {
    container.name =
        NameOf(container.label ? &*container.label : nullptr, container.given_name, container.id);
    if (!taken.insert(container.name).second) container.name = container.id;
  }
}

std::vector<std::string> PodGroupsOf(const std::vector<ForeignContainer>& containers,
                                     std::string_view uid) {
  std::vector<std::string> groups;
  for (const ForeignContainer& container : containers) {
    const std::string_view parent = ParentGroup(container.group);
    std::string group = IsGroupOfPod(parent, uid) ? std::string(parent) : container.group;
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) {
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

ForeignReading ReadForeignPod(const ForeignIdentity& identity,
                              const std::vector<ForeignContainer>& containers) {
  ForeignReading reading;
  Pod& pod = reading.pod;
  const auto& labels = identity.labels;
  pod.name = NameOf(ValueOf(labels, kPodNameLabel), identity.name, identity.key);
  pod.namespace_ = NameOf(ValueOf(labels, kPodNamespaceLabel), identity.namespace_, "default");
  pod.uid = NameOf(ValueOf(labels, kPodUidLabel), identity.uid, identity.key);
  for (const auto& [name, value] : labels) pod.labels[name] = value;
  for (const auto& [name, value] : identity.annotations) pod.annotations[name] = value;
  pod.restart_policy = RestartPolicy::kNever;
  for (const ForeignContainer& container : containers) {
    pod.containers.push_back(ContainerOf(container));
  }
  if (!containers.empty()) pod.status_qos_class = QosByGroup(containers.front().group);
  pod.termination_grace_period_seconds = GracePeriodOf(identity, containers);
  TakeOwnerSettings(identity, reading);
  return reading;
}

void Describe(FoundForeignPod& finding) {
  std::vector<ForeignContainer>& containers = finding.containers;
  std::sort(containers.begin(), containers.end(), [](const auto& a, const auto& b) {
    return std::pair(a.created_at, std::string_view(a.id)) <
           std::pair(b.created_at, std::string_view(b.id));
  });
  NameContainers(containers);
  finding.reading = ReadForeignPod(finding.identity, containers);
}

}  // namespace jettison
