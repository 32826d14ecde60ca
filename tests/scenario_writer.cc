#include "tests/scenario_writer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/pressure.h"
#include "platform/kube_json/pod_writer.h"

namespace jettison {
namespace {

using nlohmann::json;

template <typename T>
void Put(json& object, const char* name, const std::optional<T>& value) {
  if (value) object[name] = *value;
}
void Put(json& object, const char* name, const std::optional<Instant>& value) {
  if (value) object[name] = FormatInstant(*value);
}

json Json(const MemoryStats& memory) {
  json out = json::object();
  Put(out, "time", memory.time);
  Put(out, "availableBytes", memory.available_bytes);
  Put(out, "usageBytes", memory.usage_bytes);
  Put(out, "workingSetBytes", memory.working_set_bytes);
  return out;
}

double Percent(std::int32_t hundredths) {
  return hundredths / 100.0;
}

json Json(const StallShares& shares) {
  json out = json::object();
  if (shares.avg10) out["avg10"] = Percent(*shares.avg10);
  if (shares.avg60) out["avg60"] = Percent(*shares.avg60);
  return out;
}

json Json(const PressureStats& pressure) {
  return {{"some", Json(pressure.some)}, {"full", Json(pressure.full)}};
}

json Json(const FsStats& fs) {
  json out = json::object();
  Put(out, "time", fs.time);
  Put(out, "availableBytes", fs.available_bytes);
  Put(out, "capacityBytes", fs.capacity_bytes);
  Put(out, "usedBytes", fs.used_bytes);
  Put(out, "inodesFree", fs.inodes_free);
  Put(out, "inodes", fs.inodes);
  Put(out, "inodesUsed", fs.inodes_used);
  return out;
}

json Json(const FsUsage& usage) {
  json out = json::object();
  Put(out, "usedBytes", usage.used_bytes);
  Put(out, "inodesUsed", usage.inodes_used);
  return out;
}

json Json(const RlimitStats& rlimit) {
  json out = json::object();
  Put(out, "time", rlimit.time);
  Put(out, "maxpid", rlimit.max_pid);
  Put(out, "curproc", rlimit.running);
  return out;
}

json Json(const Summary& summary);

template <typename T>
void PutStats(json& object, const char* name, const std::optional<T>& stats) {
  if (stats) object[name] = Json(*stats);
}

json Json(const PodStats& pod) {
  json out = {{"podRef", {{"name", pod.name}, {"namespace", pod.namespace_}, {"uid", pod.uid}}}};
  for (const ContainerStats& container : pod.containers) {
    json each = {{"name", container.name}};
    if (container.memory_working_set_bytes) {
      each["memory"] = {{"workingSetBytes", *container.memory_working_set_bytes}};
    }
    PutStats(each, "rootfs", container.rootfs);
    PutStats(each, "logs", container.logs);
    out["containers"].push_back(std::move(each));
  }
  for (const VolumeStats& volume : pod.volumes) {
    json each = Json(volume.usage);
    each["name"] = volume.name;
    out["volume"].push_back(std::move(each));
  }
  if (pod.has_memory) {
    out["memory"] = json::object();
    Put(out["memory"], "workingSetBytes", pod.memory_working_set_bytes);
  }
  PutStats(out, "ephemeral-storage", pod.ephemeral_storage);
  if (pod.io_some_avg10) {
    out["io"] = {{"psi", {{"some", {{"avg10", Percent(*pod.io_some_avg10)}}}}}};
  }
  if (pod.process_count) out["process_stats"] = {{"process_count", *pod.process_count}};
  return out;
}

json Json(const Summary& summary) {
  json node = {{"nodeName", summary.node.node_name}};
  PutStats(node, "memory", summary.node.memory);
  if (summary.node.pods_memory) {
    node["systemContainers"] = {{{"name", "pods"}, {"memory", Json(*summary.node.pods_memory)}}};
  }
  if (summary.node.memory_pressure) node["memory"]["psi"] = Json(*summary.node.memory_pressure);
  if (summary.node.io_pressure) {
    node["io"]["psi"] = Json(*summary.node.io_pressure);
    Put(node["io"], "time", summary.node.io_pressure->time);
  }
  PutStats(node, "fs", summary.node.fs);
  PutStats(node, "rlimit", summary.node.rlimit);
  PutStats(node["runtime"], "imageFs", summary.node.image_fs);
  PutStats(node["runtime"], "containerFs", summary.node.container_fs);
  json pods = json::array();
  for (const PodStats& pod : summary.pods) pods.push_back(Json(pod));
  return {{"node", std::move(node)}, {"pods", std::move(pods)}};
}

std::string Text(const ThresholdValue& value) {
  if (const auto* percentage = std::get_if<Percentage>(&value)) {
    return fmt::format("{}%", percentage->fraction * 100);
  }
  return std::get<Quantity>(value).ToString();
}

// containerfs.* follows from the others, and allocatable memory from the enforcement of pods.
bool IsDerived(Signal signal) {
  return signal == Signal::kContainerFsAvailable || signal == Signal::kContainerFsInodesFree ||
         signal == Signal::kAllocatableMemoryAvailable;
}

json Config(const PassPolicy& policy) {
  json out = {
      {"evictionPressureTransitionPeriod", FormatDuration(policy.pressure_transition_period)},
      {"evictionMaxPodGracePeriod", policy.max_pod_grace_period_seconds},
      {"localStorageCapacityIsolation", policy.local_storage_capacity_isolation}};
  for (const Threshold& threshold : policy.thresholds) {
    const std::string signal(NameOf(threshold.signal));
    if (threshold.signal == Signal::kAllocatableMemoryAvailable) {
      out["enforceNodeAllocatable"] = {"pods"};
    }
    if (IsDerived(threshold.signal) || IsPressure(threshold.signal)) continue;
    out[threshold.IsHard() ? "evictionHard" : "evictionSoft"][signal] = Text(threshold.value);
    if (!threshold.IsHard()) {
      out["evictionSoftGracePeriod"][signal] = FormatDuration(threshold.grace_period);
    }
    if (threshold.min_reclaim) {
      out["evictionMinimumReclaim"][signal] = Text(*threshold.min_reclaim);
    }
  }
  return out;
}

json OwnConfig(const PassPolicy& policy) {
  json out = json::object();
  for (const Threshold& threshold : policy.thresholds) {
    if (!IsPressure(threshold.signal)) continue;
    const std::string signal(NameOf(threshold.signal));
    const auto& left = std::get<Quantity>(threshold.value);
    out[threshold.IsHard() ? "pressureHard" : "pressureSoft"][signal] = ShareText(LostOf(left));
    if (threshold.IsHard()) continue;
    out["pressureSoftGracePeriod"][signal] = FormatDuration(threshold.grace_period);
  }
  return out;
}

json Uids(const Scenario& scenario, const std::vector<std::size_t>& pods) {
  json uids = json::array();
  for (std::size_t i : pods) uids.push_back(scenario.pods[i].pod.uid);
  return uids;
}

json Json(const Scenario& scenario, const ScenarioStep& step) {
  json out = {{"at", FormatDuration(step.at)},
              {"summary", Json(step.summary)},
              {"activePods", Uids(scenario, step.active)},
              {"admit", Uids(scenario, step.admit)},
              {"killErrors", Uids(scenario, step.kill_errors)}};
  PutStats(out, "summaryAfterReclaim", step.summary_after_reclaim);
  return out;
}

}  // namespace

std::string WriteScenario(const Scenario& scenario) {
  // Ordered, because a reader in one go needs the pods before the steps.
  nlohmann::ordered_json out;
  out["name"] = scenario.name;
  out["start"] = FormatInstant(scenario.start);
  out["profile"] = scenario.profile == Profile::kKubelet ? "kubelet" : "standalone";
  out["kubeletConfig"] = Config(scenario.policy);
  out["jettisonConfig"] = OwnConfig(scenario.policy);
  out["disk"] = {{"dedicatedImageFs", scenario.policy.layout.dedicated_image_fs},
                 {"dedicatedContainerFs", scenario.policy.layout.dedicated_container_fs}};
  json pods = json::array();
  for (const PodFacts& pod : scenario.pods) pods.push_back(json::parse(WritePod(pod.pod)));
  json steps = json::array();
  for (const ScenarioStep& step : scenario.steps) steps.push_back(Json(scenario, step));
  out["pods"] = std::move(pods);
  out["steps"] = std::move(steps);
  return out.dump();
}

}  // namespace jettison
