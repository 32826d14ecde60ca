#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "cli/demo/stage/demo_cast.h"
#include "core/config/agent_config.h"
#include "core/pods/pod_facts.h"
#include "core/units/result.h"
#include "runtimes/cri/own_containerd/own_containerd.h"

namespace jettison {

// Where the demo's node keeps its things. Only names are made here.
struct DemoPaths {
  std::string base;         // the demo's own folder; everything else is below it
  std::string program;      // the program `jettison`, which the pods run
  std::string node_cgroup;  // from the root of each hierarchy: "/jettison-demo-1234"
  RuntimeKind runtime = RuntimeKind::kProcess;

  [[nodiscard]] std::string Root() const { return base + "/node"; }  // of the agent: nodefs
  [[nodiscard]] std::string Image() const { return base + "/node.img"; }
  [[nodiscard]] std::string Manifests() const { return base + "/manifests"; }
  [[nodiscard]] std::string Manifest(std::string_view pod) const;
  [[nodiscard]] std::string Config() const { return base + "/jettison.yaml"; }
  [[nodiscard]] std::string Gates() const { return base + "/gates"; }
  [[nodiscard]] std::string Gate(std::string_view pod) const;
  [[nodiscard]] std::string Scratch() const { return base + "/scratch"; }
  // Of the demo's own container runtime, where it has one; its images and layers are on nodefs.
  [[nodiscard]] cri::OwnContainerd Containerd() const;
};

// The two configuration documents of the demo's agent. `pid_threshold` is the threshold of
// pid.available.
[[nodiscard]] std::string DemoConfigText(const DemoPaths& paths, std::int64_t pid_threshold);

// The manifest of one pod.
[[nodiscard]] std::string DemoManifestText(const DemoPaths& paths, const DemoPod& pod);

// The pods as the agent will weigh them, by name. Fails where a manifest has faults.
using DemoFacts = std::map<std::string, PodFacts, std::less<>>;
[[nodiscard]] Result<DemoFacts> ReadDemoFacts(const DemoPaths& paths);

}  // namespace jettison
