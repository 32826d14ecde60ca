#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/demo/stage/demo_containerd.h"
#include "cli/demo/stage/demo_filesystem.h"
#include "cli/demo/stage/demo_manifests.h"
#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {

// What every demo's folder and control group are called, followed by something of its own.
inline constexpr std::string_view kDemoPrefix = "jettison-demo-";

// A folder of its own for temporary files, locked while this lives; it goes with everything in it.
class DemoFolder {
 public:
  // Below $TMPDIR, or /tmp.
  [[nodiscard]] static Result<DemoFolder> Make();
  DemoFolder(DemoFolder&& other) noexcept;
  DemoFolder& operator=(DemoFolder&&) = delete;
  ~DemoFolder();

  [[nodiscard]] Result<void> Remove();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  DemoFolder(std::string path, FileDescriptor lock);

  std::string path_;  // empty: removed
  FileDescriptor lock_;
};

// A control group at the root of each hierarchy, locked while this lives. It goes with every
// process in it.
class DemoCgroup {
 public:
  // `suffix` tells several of one demo apart.
  [[nodiscard]] static Result<DemoCgroup> Make(std::string_view suffix, const CgroupLimits& limits);
  DemoCgroup(DemoCgroup&& other) noexcept;
  DemoCgroup& operator=(DemoCgroup&&) = delete;
  ~DemoCgroup();

  [[nodiscard]] Result<void> Remove();
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  DemoCgroup(std::string name, std::unique_ptr<Cgroups> cgroups, FileDescriptor lock);

  std::string name_;  // empty: removed
  std::unique_ptr<Cgroups> cgroups_;
  FileDescriptor lock_;
};

// The node of a demo: its folder, its control group, its file system and, where its pods are to run
// on one, a containerd of its own; in mounts that nobody else sees. Everything goes when this goes.
class DemoNode {
 public:
  [[nodiscard]] static Result<DemoNode> SetUp(RuntimeKind runtime);
  DemoNode(DemoNode&&) = default;

  // Removes everything, and answers what could not be removed.
  [[nodiscard]] Result<void> TearDown();

  [[nodiscard]] const DemoPaths& paths() const { return paths_; }
  // For people: sizes and places.
  [[nodiscard]] std::string Describe() const;

 private:
  [[nodiscard]] Result<void> StartRuntime();
  DemoNode(DemoFolder folder, DemoFilesystem filesystem, DemoCgroup cgroup,
           std::optional<DemoCgroup> runtime_cgroup, DemoPaths paths);

  // In this order, so that the processes go first, then the mounts, then the files.
  DemoFolder folder_;
  DemoFilesystem filesystem_;
  DemoCgroup cgroup_;
  std::optional<HiddenShimFolder> shim_folder_;
  std::optional<DemoCgroup> runtime_cgroup_;  // of the container runtime
  DemoPaths paths_;
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
