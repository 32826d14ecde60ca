#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/demo/demo.h"

namespace jettison {
namespace {

// "$(" would be taken for a variable (Kubernetes' expansion).
std::string Unexpanded(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled.append(c == '$' ? 2 : 1, c);
  return doubled;
}

}  // namespace

std::span<const DemoPod> DemoPods() {
  static constexpr auto kPods = std::to_array<DemoPod>({
      {.name = "database",
       .role = "guaranteed: requests and limits are equal",
       .work = "[hold, --total, '80']",
       .resources = "{requests: {cpu: 100m, memory: 96Mi}, limits: {cpu: 100m, memory: 96Mi}}"},
      {.name = "web",
       .role = "burstable, within its request",
       .work = "[hold, --total, '64']",
       .resources = "{requests: {cpu: 100m, memory: 96Mi}, limits: {memory: 192Mi}}"},
      {.name = "cache",
       .role = "burstable, beyond its request",
       .work = "[hold, --total, '72']",
       .resources = "{requests: {memory: 32Mi}}"},
      {.name = "critical",
       .role = "best-effort, but of critical priority",
       .work = "[hold, --total, '24']",
       .priority_class = "system-node-critical"},
      {.name = "leaker",
       .role = "best-effort, leaks memory",
       .work = "[leak, --rate, '40', --total, '400', --gate, $(GATE)]",
       .title = "leaker grows by 40 MiB a second",
       .lesson = "The largest excess over a request is evicted first: leaker asked for nothing.",
       .message = "The node was low on resource: memory.",
       .promise = "leaker was evicted for memory"},
      {.name = "filler",
       .role = "best-effort, fills the disk",
       .work = "[fill, --path, data, --rate, '15', --total, '200', --gate, $(GATE)]",
       .title = "filler writes 15 MiB a second to its disk",
       .lesson =
           "There are no dead containers to remove, so the pod that uses most disk is evicted.",
       .signal = Signal::kNodeFsAvailable,
       .message = "The node was low on resource: ephemeral-storage.",
       .promise = "filler was evicted for disk space"},
      {.name = "scratch",
       .role = "its emptyDir has a size limit",
       .work = "[fill, --path, $(SCRATCH)/data, --rate, '10', --total, '24', --gate, $(GATE)]",
       .title = "scratch outgrows the limit of its emptyDir",
       .lesson = "A limit of its own is enough: no pressure on the node, nobody is ranked.",
       .signal = Signal::kNodeFsAvailable,
       .message = "Usage of EmptyDir volume \"scratch\" exceeds the limit \"16Mi\".",
       .promise = "scratch was evicted for the size limit of its emptyDir"},
      {.name = "forker",
       .role = "best-effort, forks",
       .work = "[fork, --rate, '300', --total, '950', --gate, $(GATE)]",
       .title = "forker starts 300 processes a second",
       .lesson = "Process ids have no requests: lowest priority first, then most processes.",
       .signal = Signal::kPidAvailable,
       .message = "The node was low on resource: pids.",
       .promise = "forker was evicted for process ids"},
  });
  return kPods;
}

std::span<const DemoPod> DemoActs() {
  const std::span<const DemoPod> pods = DemoPods();
  const auto first = std::ranges::find_if(pods, &DemoPod::IsCulprit);
  return pods.subspan(static_cast<std::size_t>(first - pods.begin()));
}

std::string DemoPaths::Gate(std::string_view pod) const {
  return fmt::format("{}/gate-{}", base, pod);
}

// YAML takes what fmt quotes as JSON does.
std::string DemoConfigText(const DemoPaths& paths, std::int64_t pid_threshold) {
  return fmt::format(
      R"(apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: {manifests:?}
evictionHard:
  memory.available: 100Mi
  nodefs.available: 25%
  pid.available: "{pids}"
evictionPressureTransitionPeriod: 5s
kernelMemcgNotification: true
enforceNodeAllocatable: [none]
podPidsLimit: 1000
oomScoreAdj: 0
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
profile: standalone
root: {root:?}
nodeCgroup: {cgroup:?}
nodeName: demo
monitoringInterval: 500ms
evictionBackoff: {{initial: 10s, max: 1m}}
)",
      fmt::arg("manifests", paths.Manifests()), fmt::arg("root", paths.Root()),
      fmt::arg("pids", pid_threshold), fmt::arg("cgroup", paths.node_cgroup));
}

std::string DemoManifestText(const DemoPaths& paths, const DemoPod& pod) {
  std::string text = fmt::format(
      R"(# {role}
apiVersion: v1
kind: Pod
metadata:
  name: {name}
spec:
  terminationGracePeriodSeconds: 2
  priorityClassName: "{priority_class}"
  containers:
    - name: main
      command: [{program:?}, workload]
      args: {work}
      resources: {resources}
)",
      fmt::arg("role", pod.role), fmt::arg("name", pod.name),
      fmt::arg("priority_class", pod.priority_class),
      fmt::arg("program", Unexpanded(paths.program)), fmt::arg("work", pod.work),
      fmt::arg("resources", pod.resources));
  if (!pod.IsCulprit()) return text;
  text += fmt::format(
      R"(      env: [{{name: GATE, value: {:?}}}, {{name: SCRATCH, value: {:?}}}]
)",
      Unexpanded(paths.Gate(pod.name)), Unexpanded(paths.Scratch()));
  if (pod.name != "scratch") return text;
  return text + fmt::format(R"(      volumeMounts: [{{name: scratch, mountPath: {:?}}}]
  volumes: [{{name: scratch, emptyDir: {{sizeLimit: 16Mi}}}}]
)",
                            paths.Scratch());
}

}  // namespace jettison
