#include "cli/demo/demo_pods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jettison {
namespace {

// "$(" would be taken for a variable (Kubernetes' expansion).
std::string Unexpanded(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled.append(c == '$' ? 2 : 1, c);
  return doubled;
}

struct DemoVolume {
  std::string_view name;
  std::string folder;
  std::string source;  // as YAML
  bool read_only = false;
};

// In an image that holds no file the host's programs are mounted, and the demo's own folder.
std::vector<DemoVolume> VolumesOf(const DemoPaths& paths, const DemoPod& pod) {
  std::vector<DemoVolume> volumes;
  if (paths.runtime == RuntimeKind::kCri) {
    volumes = {{"usr", "/usr", {}, true},
               {"program", paths.program.substr(0, paths.program.rfind('/')), {}, true},
               {"demo", paths.base, {}}};
    for (DemoVolume& each : volumes) {
      each.source = fmt::format("hostPath: {{path: {:?}}}", each.folder);
    }
  }
  if (!pod.size_limit.empty()) {
    volumes.push_back(
        {"scratch", paths.Scratch(), fmt::format("emptyDir: {{sizeLimit: {}}}", pod.size_limit)});
  }
  return volumes;
}

}  // namespace

std::span<const DemoPod> DemoPods() {
  static const std::vector<DemoPod> kPods = {
      {.name = "database",
       .role = "guaranteed: requests and limits are equal",
       .work = {"hold", "--total", "80"},
       .resources = "{requests: {cpu: 100m, memory: 96Mi}, limits: {cpu: 100m, memory: 96Mi}}"},
      {.name = "web",
       .role = "burstable, within its request",
       .work = {"hold", "--total", "64"},
       .resources = "{requests: {cpu: 100m, memory: 96Mi}, limits: {memory: 192Mi}}"},
      {.name = "cache",
       .role = "burstable, beyond its request",
       .work = {"hold", "--total", "72"},
       .resources = "{requests: {memory: 32Mi}}"},
      {.name = "critical",
       .role = "best-effort, but of critical priority",
       .work = {"hold", "--total", "24"},
       .priority_class = "system-node-critical"},
      {.name = "leaker",
       .role = "best-effort, leaks memory",
       .work = {"leak", "--rate", "40", "--total", "400", "--gate", "$(GATE)"},
       .culprit = true},
      {.name = "filler",
       .role = "best-effort, fills the disk",
       .work = {"fill", "--path", "data", "--rate", "15", "--total", "200", "--gate", "$(GATE)"},
       .culprit = true},
      {.name = "scratch",
       .role = "its emptyDir has a size limit",
       .work = {"fill", "--path", "$(SCRATCH)/data", "--rate", "10", "--total", "24", "--gate",
                "$(GATE)"},
       .size_limit = "16Mi",
       .culprit = true},
      {.name = "forker",
       .role = "best-effort, forks",
       .work = {"fork", "--rate", "300", "--total", "950", "--gate", "$(GATE)"},
       .culprit = true},
  };
  return kPods;
}

std::string DemoPaths::Gate(std::string_view pod) const {
  return fmt::format("{}/{}", Gates(), pod);
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
containerRuntimeEndpoint: {endpoint:?}
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
runtime: {runtime}
profile: standalone
root: {root:?}
nodeCgroup: {cgroup:?}
nodeName: demo
monitoringInterval: 500ms
evictionBackoff: {{initial: 10s, max: 1m}}
)",
      fmt::arg("manifests", paths.Manifests()), fmt::arg("root", paths.Root()),
      fmt::arg("pids", pid_threshold),
      fmt::arg("endpoint", "unix://" + paths.Containerd() + "/containerd.sock"),
      fmt::arg("runtime", NameOf(paths.runtime)), fmt::arg("cgroup", paths.node_cgroup));
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
      command: {command}
      args: {work}
      resources: {resources}
)",
      fmt::arg("role", pod.role), fmt::arg("name", pod.name),
      fmt::arg("priority_class", pod.priority_class),
      fmt::arg("command", std::vector<std::string>{Unexpanded(paths.program), "workload"}),
      fmt::arg("work", pod.work), fmt::arg("resources", pod.resources));
  if (paths.runtime == RuntimeKind::kCri) {
    text += fmt::format("      image: {}\n      imagePullPolicy: Never\n", kDemoHostImage);
  }
  if (pod.culprit) {
    text +=
        fmt::format("      env: [{{name: GATE, value: {:?}}}, {{name: SCRATCH, value: {:?}}}]\n",
                    Unexpanded(paths.Gate(pod.name)), Unexpanded(paths.Scratch()));
  }
  std::string mounts;
  std::string volumes;
  for (const DemoVolume& volume : VolumesOf(paths, pod)) {
    mounts += fmt::format("        - {{name: {}, mountPath: {:?}, readOnly: {}}}\n", volume.name,
                          volume.folder, volume.read_only);
    volumes += fmt::format("    - {{name: {}, {}}}\n", volume.name, volume.source);
  }
  if (volumes.empty()) return text;
  return text + "      volumeMounts:\n" + mounts + "  volumes:\n" + volumes;
}

}  // namespace jettison
