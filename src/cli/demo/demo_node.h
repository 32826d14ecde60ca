#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/demo/demo_pods.h"
#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {

// The node of a demo: a folder, a control group and a small file system, in mounts that nobody else
// sees. The folder and the group are locked while this lives, so that others see whether a demo
// lives there.
class DemoNode {
 public:
  DemoNode() = default;
  DemoNode(const DemoNode&) = delete;
  DemoNode& operator=(const DemoNode&) = delete;
  ~DemoNode() { (void)TearDown(); }

  // Call it before any thread starts: this process, and what it starts, get mounts of their own.
  [[nodiscard]] Result<void> SetUp();
  // Removes everything, and answers what could not be removed.
  [[nodiscard]] Result<void> TearDown();

  [[nodiscard]] const DemoPaths& paths() const { return paths_; }
  // For people: sizes and places.
  [[nodiscard]] std::string Describe() const;

 private:
  [[nodiscard]] Result<void> MakeFolders();
  [[nodiscard]] Result<void> MakeGroup();

  DemoPaths paths_;
  std::unique_ptr<Cgroups> cgroups_;
  std::string group_;  // empty: there is none
  std::vector<FileDescriptor> locks_;
  std::string filesystem_;  // its kind
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
