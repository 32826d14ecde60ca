#pragma once

#include <cstdint>
#include <string>

#include "core/units/result.h"

namespace jettison {

// Gives this process, and what it starts, mounts of their own: what is mounted from here on is seen
// by nobody else and vanishes with the last process that sees it. Call it before any thread starts.
[[nodiscard]] Result<void> EnterPrivateMounts();

// A small file system of its own, mounted on a folder and unmounted in the end: ext4 in a file, on
// a loop device that frees itself; tmpfs where the machine has no loop device or no mkfs.ext4.
class DemoFilesystem {
 public:
  // `image` is the file to be made; its name is gone again as soon as the loop device holds it.
  [[nodiscard]] static Result<DemoFilesystem> Mount(const std::string& image,
                                                    const std::string& mount_point,
                                                    std::int64_t size_mib);
  DemoFilesystem(DemoFilesystem&& other) noexcept;
  DemoFilesystem& operator=(DemoFilesystem&&) = delete;
  ~DemoFilesystem();

  // Unmounts it and waits until the loop device is free. Waits for processes that have just been
  // killed; where one stays, the mount is detached.
  [[nodiscard]] Result<void> Unmount();
  // For people: "ext4 on /dev/loop0", "tmpfs".
  [[nodiscard]] const std::string& description() const { return description_; }

 private:
  DemoFilesystem(std::string mount_point, std::string device);

  std::string mount_point_;  // empty: nothing is mounted
  std::string device_;       // the loop device; empty: tmpfs
  std::string description_;
};

}  // namespace jettison
