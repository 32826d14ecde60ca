#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/agent_config.h"

namespace jettison {

// Sizes of the demo's node. They are chosen together: the pods that behave leave 150 MiB of memory
// and 60 MiB of disk above the thresholds, and each that does not takes a few seconds for that.
inline constexpr std::int64_t kDemoMemoryMiB = 512;
inline constexpr std::int64_t kDemoDiskMiB = 96;
// Process ids are the machine's: the threshold lies so far below what is free at the start, which
// the forking pod can reach, and the two limits keep the machine out of its reach.
inline constexpr std::int64_t kDemoPidHeadroom = 500;
inline constexpr std::int64_t kDemoNodePidsLimit = 1500;
// The images of a demo on a container runtime: no registry is asked.
inline constexpr const char* kDemoHostImage = "jettison.demo/host:1";    // the host's programs
inline constexpr const char* kDemoPauseImage = "jettison.demo/pause:1";  // what holds a sandbox

// One pod of the demo.
struct DemoPod {
  std::string_view name;
  std::string_view role;               // a phrase for people
  std::vector<std::string_view> work;  // arguments of `jettison workload`
  std::string_view resources = "{}";   // of its container, as YAML
  std::string_view priority_class = {};
  std::string_view size_limit = {};  // of its emptyDir; empty: it has none
  bool culprit = false;              // it does harm once its gate is open, and is to be evicted
};

// Every pod, the innocent ones first. A culprit's work waits for the gate "$(GATE)"; an emptyDir
// lies at "$(SCRATCH)".
[[nodiscard]] std::span<const DemoPod> DemoPods();

// Where the demo's node keeps its things. Only names are made here.
struct DemoPaths {
  std::string base;         // the demo's own folder; everything else is below it
  std::string program;      // the program `jettison`, which the pods run
  std::string node_cgroup;  // from the root of each hierarchy: "/jettison-demo-1234"
  RuntimeKind runtime = RuntimeKind::kProcess;

  [[nodiscard]] std::string Root() const { return base + "/node"; }  // of the agent: nodefs
  [[nodiscard]] std::string Manifests() const { return base + "/manifests"; }
  [[nodiscard]] std::string Config() const { return base + "/jettison.yaml"; }
  [[nodiscard]] std::string Gates() const { return base + "/gates"; }
  [[nodiscard]] std::string Gate(std::string_view pod) const;
  [[nodiscard]] std::string Scratch() const { return base + "/scratch"; }
  // Of the demo's own container runtime, where it has one.
  [[nodiscard]] std::string Containerd() const { return base + "/containerd"; }
};

// The two configuration documents of the demo's agent. `pid_threshold` is the threshold of
// pid.available.
[[nodiscard]] std::string DemoConfigText(const DemoPaths& paths, std::int64_t pid_threshold);

// The manifest of one pod.
[[nodiscard]] std::string DemoManifestText(const DemoPaths& paths, const DemoPod& pod);

}  // namespace jettison
