#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace jettison {

// Sizes of the demo's node. They are chosen together: the pods that behave leave 150 MiB of memory
// and 60 MiB of disk above the thresholds, and each that does not takes a few seconds for that.
inline constexpr std::int64_t kDemoMemoryMiB = 512;
inline constexpr std::int64_t kDemoDiskMiB = 96;
// Process ids are the machine's: the threshold lies so far below what is free at the start, which
// the forking pod can reach, and the two limits keep the machine out of its reach.
inline constexpr std::int64_t kDemoPidHeadroom = 500;
inline constexpr std::int64_t kDemoNodePidsLimit = 1500;

// One pod of the demo.
struct DemoPod {
  std::string_view name;
  std::string_view role;              // a phrase for people
  std::string_view work;              // arguments of `jettison workload`, as YAML
  std::string_view resources = "{}";  // of its container, as YAML
  std::string_view priority_class = {};
  bool culprit = false;  // it does harm once its gate is open, and is to be evicted
};

// Every pod, the innocent ones first. A culprit's work waits for the gate "$(GATE)"; the pod
// `scratch` has an emptyDir of at most 16Mi at "$(SCRATCH)".
[[nodiscard]] std::span<const DemoPod> DemoPods();

// Where the demo's node keeps its things. Only names are made here.
struct DemoPaths {
  std::string base;         // the demo's own folder; everything else is below it
  std::string program;      // the program `jettison`, which the pods run
  std::string node_cgroup;  // from the root of each hierarchy: "/jettison-demo-1234"

  [[nodiscard]] std::string Root() const { return base + "/node"; }  // of the agent: nodefs
  [[nodiscard]] std::string Manifests() const { return base + "/manifests"; }
  [[nodiscard]] std::string Config() const { return base + "/jettison.yaml"; }
  [[nodiscard]] std::string Scratch() const { return base + "/scratch"; }
  [[nodiscard]] std::string Gate(std::string_view pod) const;
};

// The two configuration documents of the demo's agent. `pid_threshold` is the threshold of
// pid.available.
[[nodiscard]] std::string DemoConfigText(const DemoPaths& paths, std::int64_t pid_threshold);

// The manifest of one pod.
[[nodiscard]] std::string DemoManifestText(const DemoPaths& paths, const DemoPod& pod);

}  // namespace jettison
