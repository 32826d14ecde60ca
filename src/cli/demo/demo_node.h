#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/demo/demo_pods.h"
#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {

// The node of a demo: a folder, a control group, a small file system and, where its pods are to run
// on one, a containerd of its own, in mounts that nobody else sees. The folder and the groups are
// locked while this lives, so that others see whether a demo lives there.
class DemoNode {
 public:
  DemoNode() = default;
  DemoNode(const DemoNode&) = delete;
  DemoNode& operator=(const DemoNode&) = delete;
  ~DemoNode() { (void)TearDown(); }

  // Call it before any thread starts: this process, and what it starts, get mounts of their own.
  [[nodiscard]] Result<void> SetUp(RuntimeKind runtime);
  // Removes everything, and answers what could not be removed.
  [[nodiscard]] Result<void> TearDown();

  [[nodiscard]] const DemoPaths& paths() const { return paths_; }
  // For people: sizes and places.
  [[nodiscard]] std::string Describe() const;

 private:
  [[nodiscard]] Result<void> MakeFolders();
  [[nodiscard]] Result<void> MakeGroup(const std::string& name, const CgroupLimits& limits);
  [[nodiscard]] Result<void> StartRuntime();

  DemoPaths paths_;
  std::unique_ptr<Cgroups> cgroups_;
  std::vector<std::string> groups_;  // made, the node's first
  std::vector<FileDescriptor> locks_;
  std::string filesystem_;  // its kind
  bool made_shim_folder_ = false;
};

// What was found of other demos.
struct DemoLeftovers {
  std::vector<std::string> removed;  // for people
  std::vector<std::string> running;  // control groups of demos that still run
};
// Removes what demos have left behind that were killed: control groups with their processes, and
// folders. What belongs to a demo that runs is not touched.
[[nodiscard]] DemoLeftovers RemoveDemoLeftovers();

}  // namespace jettison
