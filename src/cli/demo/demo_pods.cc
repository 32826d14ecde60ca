#include <fmt/format.h>

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
       .culprit = true},
      {.name = "filler",
       .role = "best-effort, fills the disk",
       .work = "[fill, --path, data, --rate, '15', --total, '200', --gate, $(GATE)]",
       .culprit = true},
      {.name = "scratch",
       .role = "its emptyDir has a size limit",
       .work = "[fill, --path, $(SCRATCH)/data, --rate, '10', --total, '24', --gate, $(GATE)]",
       .culprit = true},
      {.name = "forker",
       .role = "best-effort, forks",
       .work = "[fork, --rate, '300', --total, '950', --gate, $(GATE)]",
       .culprit = true},
  });
  return kPods;
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
  if (!pod.culprit) return text;
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
