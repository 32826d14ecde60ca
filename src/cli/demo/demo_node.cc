#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "cli/demo/demo.h"
#include "kernel/mounts/mount_info.h"
#include "kernel/programs/programs.h"
#include "machine/cgroups/host_cgroups.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// What every demo's folder and control group are called, followed by something of its own.
constexpr std::string_view kDemoPrefix = "jettison-demo-";
constexpr std::chrono::milliseconds kRemovePatience(5000);

std::string TemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && folder[0] == '/' ? folder : "/tmp";
}

// Takes the lock that says "a demo lives here"; the kernel lets go of it when that demo ends,
// however it ends.
bool Lock(const FileDescriptor& directory) {
  return directory && ::flock(directory.get(), LOCK_EX | LOCK_NB) == 0;
}

FileDescriptor OpenFolder(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

Result<void> CheckSpace(const std::string& folder) {
  std::error_code error;
  const std::uintmax_t free_mib = fs::space(folder, error).available >> 20;
  if (error) return Fail(SystemError(error.value(), "look at " + folder));
  if (free_mib >= 2 * kDemoDiskMiB) return {};
  return Fail(
      ErrorCode::kUnavailable,
      fmt::format(
          "{} has {} MiB free, but the demo needs {} MiB: set TMPDIR to a folder with more space",
          folder, free_mib, 2 * kDemoDiskMiB));
}

// ext4 in a file without a name, on a loop device that frees itself. No journal and few inodes: the
// node has nearly all of the space.
Result<void> MountImage(const std::string& image, const std::string& mount_point) {
  const std::vector<std::vector<std::string>> commands = {
      {"truncate", "--size", fmt::format("{}M", kDemoDiskMiB), image},
      {"mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^has_journal", "-N", "4096", image},
      {"mount", "-t", "ext4", "-o", "loop,nosuid,nodev", image, mount_point}};
  for (std::vector<std::string> command : commands) {
    auto program = FindProgram(command.front());
    if (!program) return Fail(program.error());
    command.front() = *std::move(program);
    if (const auto ran = RunProgram(command); !ran) return Fail(ran.error());
  }
  return {};
}

// Answers the kind: tmpfs where the machine has no loop device or no mkfs.ext4.
Result<std::string> MountSmallFilesystem(const std::string& base, const std::string& mount_point) {
  const std::string image = base + "/node.img";
  const auto mounted = MountImage(image, mount_point);
  ::unlink(image.c_str());
  if (mounted) return "ext4";
  const std::string options = fmt::format("size={}m,nr_inodes=4096,mode=0755", kDemoDiskMiB);
  if (::mount("jettison-demo", mount_point.c_str(), "tmpfs", MS_NOSUID | MS_NODEV,
              options.c_str()) != 0) {
    return Fail(SystemError(errno, mounted.error().message + ", and then mount a tmpfs"));
  }
  return "tmpfs";
}

Result<void> EnterPrivateMounts() {
  if (::unshare(CLONE_NEWNS) == 0 &&
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0) {
    return {};
  }
  return FailErrno("make the mounts private");
}

Result<void> KillAndRemove(Cgroups& cgroups, const std::string& name) {
  if (auto killed = cgroups.Kill(name); !killed && killed.error().code != ErrorCode::kNotFound) {
    return killed;
  }
  return cgroups.Remove(name);
}

// Only folders of the caller's own: others could lead us to delete what is not ours.
bool IsOwn(const FileDescriptor& folder) {
  struct stat status {};
  return ::fstat(folder.get(), &status) == 0 && status.st_uid == ::geteuid();
}

}  // namespace

Result<void> DemoNode::MakeFolders() {
  if (auto space = CheckSpace(TemporaryFolder()); !space) return space;
  std::string path = fmt::format("{}/{}XXXXXX", TemporaryFolder(), kDemoPrefix);
  if (::mkdtemp(path.data()) == nullptr) return FailErrno("make a folder " + path);
  paths_.base = path;
  if (!Lock(locks_.emplace_back(OpenFolder(path)))) return FailErrno("lock " + path);
  for (const std::string& made : {paths_.Root(), paths_.Manifests(), paths_.Scratch()}) {
    if (::mkdir(made.c_str(), 0755) != 0) return FailErrno("make " + made);
  }
  return {};
}

Result<void> DemoNode::MakeGroup() {
  auto cgroups = OpenHostCgroups({.remove_patience = kRemovePatience});
  if (!cgroups) return Fail(cgroups.error());
  cgroups_ = *std::move(cgroups);
  group_ = fmt::format("{}{}", kDemoPrefix, ::getpid());
  paths_.node_cgroup = "/" + group_;
  auto made =
      cgroups_->Create(group_, {.memory_bytes = static_cast<std::uint64_t>(kDemoMemoryMiB) << 20,
                                .pids_max = kDemoNodePidsLimit});
  if (!made) return made;
  auto directory = cgroups_->OpenMemoryDirectory(group_);
  if (!directory) return Fail(directory.error());
  if (Lock(locks_.emplace_back(*std::move(directory)))) return {};
  return FailErrno("lock control group " + group_);
}

Result<void> DemoNode::SetUp() {
  std::error_code error;
  paths_.program = fs::read_symlink("/proc/self/exe", error);
  if (error) return Fail(SystemError(error.value(), "read /proc/self/exe"));
  if (auto made = MakeFolders(); !made) return made;
  if (auto made = MakeGroup(); !made) return made;
  if (auto entered = EnterPrivateMounts(); !entered) return entered;
  auto filesystem = MountSmallFilesystem(paths_.base, paths_.Root());
  if (!filesystem) return Fail(filesystem.error());
  filesystem_ = *std::move(filesystem);
  return {};
}

// The processes go first, then the mounts, then the files. Each is tried, whatever became of the
// one before; the first failure is the cause of the others.
Result<void> DemoNode::TearDown() {
  Result<void> outcome;
  if (!group_.empty()) outcome = KillAndRemove(*cgroups_, std::exchange(group_, {}));
  if (paths_.base.empty()) return outcome;
  kernel::DetachMountsBelow(paths_.base, "");
  std::error_code error;
  const std::string base = std::exchange(paths_.base, {});
  fs::remove_all(base, error);
  if (outcome && error) outcome = Fail(SystemError(error.value(), "remove " + base));
  locks_.clear();
  return outcome;
}

std::string DemoNode::Describe() const {
  return fmt::format("a node of {} MiB in the control group {}, {} MiB of disk ({}) below {}",
                     kDemoMemoryMiB, group_, kDemoDiskMiB, filesystem_, paths_.base);
}

DemoLeftovers RemoveDemoLeftovers() {
  DemoLeftovers found;
  if (const auto cgroups = OpenHostCgroups({.remove_patience = kRemovePatience})) {
    for (const std::string& name : (*cgroups)->Children("").value_or(std::vector<std::string>{})) {
      if (!name.starts_with(kDemoPrefix)) continue;
      const auto directory = (*cgroups)->OpenMemoryDirectory(name);
      if (!directory) continue;
      if (!Lock(*directory)) {
        found.running.push_back(name);
      } else if (KillAndRemove(**cgroups, name)) {
        found.removed.push_back("control group " + name);
      }
    }
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(TemporaryFolder(), error)) {
    if (!entry.path().filename().string().starts_with(kDemoPrefix)) continue;
    const FileDescriptor folder = OpenFolder(entry.path());
    if (!folder || !IsOwn(folder) || !Lock(folder)) continue;
    fs::remove_all(entry.path(), error);
    if (!error) found.removed.push_back("folder " + entry.path().string());
  }
  return found;
}

}  // namespace jettison
