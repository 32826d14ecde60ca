#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "core/units/result.h"

namespace jettison {

// Where a demo's containerd keeps its things. `root` takes the images and writable layers, so the
// file system it is on is under pressure when pods write.
struct DemoContainerdPaths {
  std::string root;
  std::string state;
  std::string scratch;  // for making the images; gone when it runs
  std::string cgroup;   // from the root of each hierarchy; its processes are put there

  [[nodiscard]] std::string Socket() const { return state + "/containerd.sock"; }
  [[nodiscard]] std::string Log() const { return state + "/containerd.log"; }
};

// Hides the folder of the host in which containerd's shims put their sockets, in this process's
// mounts alone. The destructor takes it back; where the host has no such folder it goes again.
class HiddenShimFolder {
 public:
  [[nodiscard]] static Result<HiddenShimFolder> Hide();
  HiddenShimFolder(HiddenShimFolder&& other) noexcept
      : hidden_(std::exchange(other.hidden_, false)), made_(other.made_) {}
  HiddenShimFolder& operator=(HiddenShimFolder&&) = delete;
  ~HiddenShimFolder();

 private:
  explicit HiddenShimFolder(bool made) : hidden_(true), made_(made) {}
  bool hidden_;
  bool made_;  // by us
};

// A containerd of the demo's own, with the two images that its pods need. Everything it keeps and
// starts lies in the folders and the group given; whoever owns these ends it.
//
// Fails where containerd or runc is not installed, saying so, and where it does not answer within
// some seconds.
[[nodiscard]] Result<pid_t> StartDemoContainerd(const DemoContainerdPaths& paths);

}  // namespace jettison
