#include "kernel/groups/layout/cgroup_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace jettison::kernel {
namespace {

// Calls back with "a", then "a-b_c".
template <typename Visit>
void ForEachSlice(std::string_view root, Visit visit) {
  std::string name;
  while (!root.empty()) {
    const std::size_t end = std::min(root.find('/'), root.size());
    std::string component(root.substr(0, end));
    root.remove_prefix(std::min(end + 1, root.size()));
    if (component.empty()) continue;
    std::ranges::replace(component, '-', '_');
    name += name.empty() ? component : "-" + component;
    visit(name);
  }
}

constexpr std::uint64_t kMinShares = 2;
constexpr std::uint64_t kMaxShares = 262'144;
constexpr std::int64_t kSharesPerCpu = 1024;
constexpr std::int64_t kMinQuotaUs = 1000;
constexpr std::int64_t kMilli = 1000;
constexpr std::string_view kCpu = "cpu";
constexpr std::string_view kMemory = "memory";

const Quantity* Find(const ResourceList& list, std::string_view resource) {
  const auto it = list.find(resource);
  return it == list.end() || it->second.IsZero() ? nullptr : &it->second;
}

// Whether the pod as a whole is limited: it is not if one container has no limit.
bool IsLimited(const Pod& pod, std::string_view resource) {
  if (pod.resources && Find(pod.resources->limits, resource) != nullptr) return true;
  const auto limited = [&](const Container& container) {
    return Find(container.resources.limits, resource) != nullptr;
  };
  return std::all_of(pod.init_containers.begin(), pod.init_containers.end(), limited) &&
         std::all_of(pod.containers.begin(), pod.containers.end(), limited);
}

std::uint64_t MemoryBytes(const Quantity& quantity) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(quantity.Value(), 0));
}

// Guaranteed pods have no group of their class.
std::string_view ClassName(QosClass qos) {
  switch (qos) {
    case QosClass::kGuaranteed: return "";
    case QosClass::kBurstable: return "burstable";
    case QosClass::kBestEffort: return "besteffort";
  }
  __builtin_unreachable();
}

// A dash in a name means a slice within another one, so the kubelet writes "_" for it. Other
// characters must not become "_" as well, or two pods could share a group.
std::string InSliceName(std::string_view uid) {
  std::string name;
  for (const char c : uid) {
    if (c == '-') {
      name += '_';
    } else if (c == '_' || c == '\\') {
      name += fmt::format("\\x{:02x}", static_cast<unsigned>(c));  // as systemd-escape(1) does
    } else {
      name += c;
    }
  }
  return name;
}

void LimitCpu(CgroupLimits& limits, const Quantity& quantity, const LimitSettings& settings) {
  if (!settings.cpu_quota) return;
  limits.cpu_quota_us = CpuQuotaUs(quantity.MilliValue(), settings.cpu_quota->period_us);
  limits.cpu_period_us = settings.cpu_quota->period_us;
}

}  // namespace

std::string SliceOf(std::string_view root) {
  std::string path;
  ForEachSlice(root, [&path](const std::string& name) { path += "/" + name + ".slice"; });
  return path;
}

std::string SlicesBelow(std::string_view root) {
  std::string last;
  ForEachSlice(root, [&last](const std::string& name) { last = name + "-"; });
  return last;
}

bool IsPodName(std::string_view name) {
  return name.starts_with("pod") ||
         (name.ends_with(".slice") && name.find("-pod") != std::string_view::npos);
}

std::string_view PodPart(std::string_view path) {
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (IsPodName(path.substr(begin, end - begin))) return path.substr(0, end);
    begin = end + 1;
  }
  return path;
}

std::string PodsGroup(const GroupNames& names) {
  if (names.driver == CgroupDriver::kCgroupfs) return std::string(kPodsGroup);
  return fmt::format("{}{}.slice", names.slices_begin, kPodsGroup);
}

std::string QosGroup(QosClass qos, const GroupNames& names) {
  std::string pods = PodsGroup(names);
  const std::string_view name = ClassName(qos);
  if (name.empty()) return pods;
  if (names.driver == CgroupDriver::kCgroupfs) return fmt::format("{}/{}", pods, name);
  return fmt::format("{}/{}{}-{}.slice", pods, names.slices_begin, kPodsGroup, name);
}

std::string PodGroup(QosClass qos, std::string_view uid, const GroupNames& names) {
  const std::string above = QosGroup(qos, names);
  if (names.driver == CgroupDriver::kCgroupfs) return fmt::format("{}/pod{}", above, uid);
  const std::string_view name = ClassName(qos);
  return fmt::format("{}/{}{}{}{}-pod{}.slice", above, names.slices_begin, kPodsGroup,
                     name.empty() ? "" : "-", name, InSliceName(uid));
}

std::string ContainerGroupName(std::string_view container, CgroupDriver driver) {
  return driver == CgroupDriver::kSystemd ? fmt::format("{}.scope", container)
                                          : std::string(container);
}

std::string UnitName(std::string_view group) {
  return std::string(group.substr(group.rfind('/') + 1));
}

std::string CgroupParent(std::string_view prefix, std::string_view pod_group, CgroupDriver driver) {
  if (driver == CgroupDriver::kCgroupfs) return fmt::format("{}/{}", prefix, pod_group);
  return UnitName(pod_group);
}

std::string ContainerGroup(std::string_view pod_group, std::string_view container) {
  return fmt::format("{}/{}", pod_group, container);
}

std::uint64_t CpuShares(std::int64_t milli_cpu) {
  if (milli_cpu <= 0) return kMinShares;
  if (milli_cpu > static_cast<std::int64_t>(kMaxShares)) return kMaxShares;
  return std::clamp(static_cast<std::uint64_t>(milli_cpu * kSharesPerCpu / kMilli), kMinShares,
                    kMaxShares);
}

std::uint64_t CpuWeight(std::uint64_t shares) {
  constexpr std::uint64_t kMaxWeight = 10'000;
  if (shares <= kMinShares) return 1;
  if (shares >= kMaxShares) return kMaxWeight;
  const double l = std::log2(static_cast<double>(shares));
  const double exponent = (l * l + 125 * l) / 612.0 - 7.0 / 34.0;
  return static_cast<std::uint64_t>(std::ceil(std::pow(10, exponent)));
}

std::int64_t CpuQuotaUs(std::int64_t milli_cpu, std::uint64_t period_us) {
  const auto period = static_cast<std::int64_t>(period_us);
  if (milli_cpu > std::numeric_limits<std::int64_t>::max() / period) return -1;
  return std::max(milli_cpu * period / kMilli, kMinQuotaUs);
}

CgroupLimits PodLimits(const Pod& pod, const PodAmounts& amounts, const LimitSettings& settings) {
  CgroupLimits limits;
  limits.cpu_shares = CpuShares(amounts.cpu_request.MilliValue());
  if (amounts.cpu_limit && IsLimited(pod, kCpu)) LimitCpu(limits, *amounts.cpu_limit, settings);
  if (amounts.memory_limit && IsLimited(pod, kMemory)) {
    limits.memory_bytes = MemoryBytes(*amounts.memory_limit);
  }
  if (settings.pod_pids_limit && *settings.pod_pids_limit > 0) {
    limits.pids_max = settings.pod_pids_limit;
  }
  return limits;
}

CgroupLimits ContainerLimits(const Container& container, const LimitSettings& settings) {
  CgroupLimits limits;
  const Quantity* const request = Find(container.resources.requests, kCpu);
  const Quantity* const limit = Find(container.resources.limits, kCpu);
  const Quantity* const shares = request != nullptr ? request : limit;
  limits.cpu_shares = CpuShares(shares != nullptr ? shares->MilliValue() : 0);
  if (limit != nullptr) LimitCpu(limits, *limit, settings);
  if (const Quantity* memory = Find(container.resources.limits, kMemory)) {
    limits.memory_bytes = MemoryBytes(*memory);
  }
  return limits;
}

}  // namespace jettison::kernel
