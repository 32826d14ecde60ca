#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "core/units/result.h"
#include "runtimes/cri/own_containerd/own_containerd.h"

namespace jettison {

// The images of a demo on a container runtime: no registry is asked.
inline constexpr const char* kDemoHostImage = "jettison.demo/host:1";    // the host's programs
inline constexpr const char* kDemoPauseImage = "jettison.demo/pause:1";  // what holds a sandbox

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

// A containerd of the demo's own, with these two images. Its processes are put into a control group
// (from the root of each hierarchy); whoever owns that and the folders ends it.
//
// Fails where containerd or runc is not installed, saying so, and where it does not answer within
// some seconds.
[[nodiscard]] Result<pid_t> StartDemoContainerd(const cri::OwnContainerd& own,
                                                const std::string& group);

}  // namespace jettison
