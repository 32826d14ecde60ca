#include "cli/demo/stage/demo_manifests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "cli/demo/stage/demo_containerd.h"
#include "codec/documents/documents.h"
#include "codec/kubernetes/pod_reader.h"
#include "core/model/fault.h"

namespace jettison {
namespace {

// A double-quoted YAML scalar. Paths may hold anything but NUL.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20) {
      fmt::format_to(std::back_inserter(quoted), "\\x{:02x}", code);
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

template <typename Texts>
std::string QuotedList(const Texts& texts) {
  std::vector<std::string> quoted;
  std::transform(texts.begin(), texts.end(), std::back_inserter(quoted),
                 [](const auto& text) { return Quoted(text); });
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

// "$(" would be taken for a variable in a command (Kubernetes' expansion).
std::string Unexpanded(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled.append(c == '$' ? 2 : 1, c);
  return doubled;
}

std::string Variables(const DemoPaths& paths, const DemoPod& pod) {
  std::vector<std::string> variables;
  const auto add = [&](std::string_view name, const std::string& value) {
    variables.push_back(fmt::format("{{name: {}, value: {}}}", name, Quoted(Unexpanded(value))));
  };
  if (pod.culprit) add("GATE", paths.Gate(pod.name));
  if (!pod.size_limit.empty()) add("SCRATCH", paths.Scratch());
  return fmt::format("{}", fmt::join(variables, ", "));
}

struct DemoVolume {
  std::string_view name;
  std::string mount_path;
  std::string source;  // as YAML
  bool read_only = false;
};

// In an image that holds no file the host's programs are mounted, and the demo's own folder.
std::vector<DemoVolume> VolumesOf(const DemoPaths& paths, const DemoPod& pod) {
  std::vector<DemoVolume> volumes;
  const auto mount_host = [&](std::string_view name, const std::string& folder, bool read_only) {
    volumes.push_back(
        {name, folder, fmt::format("hostPath: {{path: {}}}", Quoted(folder)), read_only});
  };
  if (paths.runtime == RuntimeKind::kCri) {
    mount_host("usr", "/usr", true);
    mount_host("program", paths.program.substr(0, paths.program.rfind('/')), true);
    mount_host("demo", paths.base, false);
  }
  if (!pod.size_limit.empty()) {
    volumes.push_back(
        {"scratch", paths.Scratch(), fmt::format("emptyDir: {{sizeLimit: {}}}", pod.size_limit)});
  }
  return volumes;
}

}  // namespace

std::string DemoPaths::Manifest(std::string_view pod) const {
  return fmt::format("{}/{}.yaml", Manifests(), pod);
}

cri::OwnContainerd DemoPaths::Containerd() const {
  return {.root = Root() + "/containerd",
          .folder = base + "/containerd",
          .pause_image = kDemoPauseImage};
}

std::string DemoPaths::Gate(std::string_view pod) const {
  return fmt::format("{}/{}", Gates(), pod);
}

std::string DemoConfigText(const DemoPaths& paths, std::int64_t pid_threshold) {
  return fmt::format(
      R"(apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: {manifests}
evictionHard:
  memory.available: {memory}Mi
  nodefs.available: {disk}
  pid.available: "{pids}"
evictionPressureTransitionPeriod: 5s
kernelMemcgNotification: true
enforceNodeAllocatable: [none]
podPidsLimit: {pod_pids}
oomScoreAdj: 0
containerRuntimeEndpoint: {endpoint}
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
runtime: {runtime}
profile: standalone
root: {root}
nodeCgroup: {cgroup}
nodeName: demo
monitoringInterval: 500ms
evictionBackoff: {{initial: 10s, max: 1m}}
)",
      fmt::arg("manifests", Quoted(paths.Manifests())), fmt::arg("root", Quoted(paths.Root())),
      fmt::arg("memory", kDemoMemoryThresholdMiB), fmt::arg("disk", kDemoDiskThreshold),
      fmt::arg("pids", pid_threshold), fmt::arg("pod_pids", kDemoPodPidsLimit),
      fmt::arg("endpoint", Quoted("unix://" + paths.Containerd().Socket())),
      fmt::arg("runtime", NameOf(paths.runtime)), fmt::arg("cgroup", Quoted(paths.node_cgroup)));
}

std::string DemoManifestText(const DemoPaths& paths, const DemoPod& pod) {
  std::string text = fmt::format(
      R"(# {}
apiVersion: v1
kind: Pod
metadata:
  name: {}
spec:
  terminationGracePeriodSeconds: 2
)",
      pod.role, pod.name);
  const auto line = [&]<typename... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
    text += '\n';
  };
  if (!pod.priority_class.empty()) line("  priorityClassName: {}", pod.priority_class);
  line("  containers:");
  line("    - name: main");
  if (paths.runtime == RuntimeKind::kCri) {
    line("      image: {}", kDemoHostImage);
    line("      imagePullPolicy: Never");
  }
  const std::vector<std::string> command = {Unexpanded(paths.program), "workload"};
  line("      command: {}", QuotedList(command));
  line("      args: {}", QuotedList(pod.work));
  if (pod.culprit) line("      env: [{}]", Variables(paths, pod));
  if (!pod.resources.empty()) line("      resources: {}", pod.resources);
  const std::vector<DemoVolume> volumes = VolumesOf(paths, pod);
  if (volumes.empty()) return text;
  line("      volumeMounts:");
  for (const DemoVolume& volume : volumes) {
    line("        - {{name: {}, mountPath: {}, readOnly: {}}}", volume.name,
         Quoted(volume.mount_path), volume.read_only);
  }
  line("  volumes:");
  for (const DemoVolume& volume : volumes)
    line("    - {{name: {}, {}}}", volume.name, volume.source);
  return text;
}

Result<DemoFacts> ReadDemoFacts(const DemoPaths& paths) {
  DemoFacts facts;
  for (const DemoPod& member : DemoPods()) {
    const auto documents = ParseDocuments(DemoManifestText(paths, member));
    if (!documents) return Fail(documents.error().In(paths.Manifest(member.name)));
    PodReading reading = ReadPod(documents->front(), {.file = paths.Manifest(member.name)});
    if (!reading.Ok()) {
      return Fail(ErrorCode::kInvalidArgument, Describe(reading.faults.front()));
    }
    facts.emplace(member.name, FactsOf(std::move(reading.pod), Profile::kStandalone));
  }
  return facts;
}

}  // namespace jettison
