#include "agent/plans/pod_plans.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include "codec/documents/json.h"
#include "codec/kubernetes/pod_reader.h"
#include "codec/kubernetes/pod_writer.h"
#include "core/model/fault.h"
#include "core/model/pod.h"
#include "core/pods/pod_kind.h"

namespace jettison {

kernel::LimitSettings LimitSettingsOf(const AgentConfig& config) {
  kernel::LimitSettings settings{.cpu_quota = std::nullopt,
                                 .pod_pids_limit = config.pod_pids_limit};
  if (!config.cpu_quota.enforced) return settings;
  const auto period =
      std::chrono::duration_cast<std::chrono::microseconds>(config.cpu_quota.period);
  settings.cpu_quota = kernel::CpuQuota{.period_us = static_cast<std::uint64_t>(period.count())};
  return settings;
}

PodPlan PlanOf(std::shared_ptr<const Pod> shared, const kernel::LimitSettings& settings) {
  const Pod& pod = *shared;
  const kernel::PodAmounts amounts{.cpu_request = EffectiveRequest(pod, "cpu"),
                                   .cpu_limit = EffectiveLimit(pod, "cpu"),
                                   .memory_limit = EffectiveLimit(pod, "memory")};
  PodPlan plan{.pod = std::move(shared),
               .qos = QosClassOf(pod),
               .milli_cpu = amounts.cpu_request.MilliValue(),
               .limits = PodLimits(pod, amounts, settings)};
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const Container& container : *containers) {
      plan.container_limits[container.name] = ContainerLimits(container, settings);
    }
  }
  return plan;
}

std::string JsonPods::Write(const Pod& pod) const {
  return WritePod(pod);
}

Result<PodPlan> JsonPods::Read(std::string_view text) const {
  const auto document = ParseJson(text);
  if (!document) return Fail(document.error());
  PodReading reading = ReadPod(*document, {.file = {}, .form = PodForm::kApiObject});
  if (!reading.Ok()) return Fail(ErrorCode::kInvalidArgument, Describe(reading.faults.front()));
  return PlanOf(std::make_shared<const Pod>(std::move(reading.pod)), settings_);
}

}  // namespace jettison
