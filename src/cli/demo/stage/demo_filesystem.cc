#include "cli/demo/stage/demo_filesystem.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/loop.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "kernel/programs/programs.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr int kReleaseTries = 150;
constexpr useconds_t kBetweenReleaseTries = 20'000;  // 3 s together
constexpr unsigned long kMountFlags = MS_NOSUID | MS_NODEV;

Result<void> MakeImage(const std::string& image, std::int64_t size_mib) {
  const FileDescriptor file(
      ::open(image.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return FailErrno("create " + image);
  if (::ftruncate(file.get(), static_cast<off_t>(size_mib << 20)) != 0) {
    return FailErrno("size " + image);
  }
  return {};
}

// No journal and few inodes: the node has nearly all of the space.
Result<void> Format(const std::string& image) {
  const auto program = FindProgram("mkfs.ext4");
  if (!program) return Fail(program.error().In("e2fsprogs is missing"));
  const auto made =
      RunProgram({*program, "-q", "-F", "-m", "0", "-O", "^has_journal", "-N", "4096", image});
  return made ? Result<void>() : Fail(made.error());
}

// A loop device that holds the image. It frees itself when the last that has it open, or mounted,
// is gone; the descriptor keeps it until it is mounted.
struct LoopDevice {
  std::string path;
  FileDescriptor keeper;
};

Result<LoopDevice> TryAttach(int control, const FileDescriptor& image) {
  const int number = ::ioctl(control, LOOP_CTL_GET_FREE);
  if (number < 0) return FailErrno("find a free loop device");
  LoopDevice device{fmt::format("/dev/loop{}", number), {}};
  device.keeper = FileDescriptor(::open(device.path.c_str(), O_RDWR | O_CLOEXEC));
  if (!device.keeper) return FailErrno("open " + device.path);
  loop_config config{};
  config.fd = static_cast<__u32>(image.get());
  config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
  if (::ioctl(device.keeper.get(), LOOP_CONFIGURE, &config) != 0) {
    return FailErrno("set up " + device.path);
  }
  return device;
}

Result<LoopDevice> Attach(const std::string& image) {
  const FileDescriptor file(::open(image.c_str(), O_RDWR | O_CLOEXEC));
  if (!file) return FailErrno("open " + image);
  const FileDescriptor control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  if (!control) return FailErrno("open /dev/loop-control");
  Result<LoopDevice> device = TryAttach(control.get(), file);
  // Another process may take the free device first.
  for (int tries = 0; tries < 10 && !device && device.error().code == ErrorCode::kUnavailable;
       ++tries) {
    device = TryAttach(control.get(), file);
  }
  return device;
}

// Mounts the image as ext4 and answers the loop device.
Result<std::string> MountImage(const std::string& image, const std::string& mount_point) {
  if (auto formatted = Format(image); !formatted) return Fail(formatted.error());
  const auto device = Attach(image);
  if (!device) return Fail(device.error());
  if (::mount(device->path.c_str(), mount_point.c_str(), "ext4", kMountFlags, nullptr) != 0) {
    return FailErrno("mount " + device->path);
  }
  return device->path;
}

Result<void> MountTmpfs(const std::string& mount_point, std::int64_t size_mib) {
  const std::string options = fmt::format("size={}m,nr_inodes=4096,mode=0755", size_mib);
  if (::mount("jettison-demo", mount_point.c_str(), "tmpfs", kMountFlags, options.c_str()) != 0) {
    return FailErrno("mount a tmpfs on " + mount_point);
  }
  return {};
}

bool IsFree(const std::string& device) {
  const auto name = std::filesystem::path(device).filename();
  std::error_code error;
  return !std::filesystem::exists("/sys/block" / name / "loop/backing_file", error);
}

}  // namespace

Result<void> EnterPrivateMounts() {
  if (::unshare(CLONE_NEWNS) != 0) return FailErrno("make a mount namespace");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return FailErrno("make the mounts private");
  }
  return {};
}

DemoFilesystem::DemoFilesystem(std::string mount_point, std::string device)
    : mount_point_(std::move(mount_point)),
      device_(std::move(device)),
      description_(device_.empty() ? "tmpfs" : "ext4 on " + device_) {}

DemoFilesystem::DemoFilesystem(DemoFilesystem&& other) noexcept
    : mount_point_(std::exchange(other.mount_point_, {})),
      device_(std::move(other.device_)),
      description_(std::move(other.description_)) {}

DemoFilesystem::~DemoFilesystem() {
  (void)Unmount();
}

Result<DemoFilesystem> DemoFilesystem::Mount(const std::string& image,
                                             const std::string& mount_point,
                                             std::int64_t size_mib) {
  if (auto made = MakeImage(image, size_mib); !made) return Fail(made.error());
  const auto device = MountImage(image, mount_point);
  ::unlink(image.c_str());
  if (device) return DemoFilesystem(mount_point, *device);
  if (auto mounted = MountTmpfs(mount_point, size_mib); !mounted) {
    return Fail(mounted.error().In(device.error().message + ", and then"));
  }
  return DemoFilesystem(mount_point, "");
}

Result<void> DemoFilesystem::Unmount() {
  if (mount_point_.empty()) return {};
  const std::string mount_point = std::exchange(mount_point_, {});
  int tries = 0;
  while (::umount2(mount_point.c_str(), UMOUNT_NOFOLLOW) != 0) {
    if (errno != EBUSY) return FailErrno("unmount " + mount_point);
    if (++tries < kReleaseTries) {
      ::usleep(kBetweenReleaseTries);
      continue;
    }
    (void)::umount2(mount_point.c_str(), MNT_DETACH);
    return Fail(
        ErrorCode::kUnavailable,
        "unmount " + mount_point +
            ": a process still uses it; it was detached and is removed when that process ends");
  }
  while (!device_.empty() && !IsFree(device_) && ++tries < kReleaseTries)
    ::usleep(kBetweenReleaseTries);
  return {};
}

}  // namespace jettison
