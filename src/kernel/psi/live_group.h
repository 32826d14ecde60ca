#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "ports/fakes/child_process.h"
#include "ports/file_descriptor.h"

namespace jettison::psi {

// For live tests: a group of the unified hierarchy, gone at the end.
class LiveGroup {
 public:
  // Why such a group cannot be made on this machine; absent where it can.
  [[nodiscard]] static std::optional<std::string> Obstacle() {
    if (::geteuid() != 0) return "making control groups needs root";
    if (Root().empty()) return "no unified hierarchy below /sys/fs/cgroup";
    if (::access("/proc/pressure/memory", F_OK) != 0) return "this kernel has no PSI";
    return std::nullopt;
  }

  LiveGroup() { Make(); }
  LiveGroup(const LiveGroup&) = delete;
  LiveGroup& operator=(const LiveGroup&) = delete;
  ~LiveGroup() { Remove(); }

  [[nodiscard]] const std::string& path() const { return path_; }
  void Make() const { ::mkdir(path_.c_str(), 0755); }
  // Removes the group when its processes are gone, which the kernel may notice a moment after they
  // were reaped.
  void Remove() const {
    while (::rmdir(path_.c_str()) != 0 && errno == EBUSY) std::this_thread::yield();
  }
  void Take(const ChildProcess& child) const {
    std::ofstream(path_ + "/cgroup.procs") << child.pid();
  }

 private:
  static std::string Root() {
    for (const char* root : {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"}) {
      if (std::filesystem::exists(std::string(root) + "/cgroup.controllers")) return root;
    }
    return {};
  }

  const std::string path_ = Root() + "/jettison-psi-test-" + std::to_string(::getpid());
};

// A body for a child: waits for the disk, again and again, until it is killed.
inline void WaitForDisk() {
  std::string name = "/var/tmp/jettison-psi-XXXXXX";
  const FileDescriptor file(::mkostemp(name.data(), O_DSYNC | O_CLOEXEC));
  ::unlink(name.c_str());
  const std::array<char, 4096> block{};
  while (::pwrite(file.get(), block.data(), block.size(), 0) > 0) {
  }
  SleepForever();
}

}  // namespace jettison::psi
