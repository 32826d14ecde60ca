#include "cli/demo/stage/demo_node.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "cli/demo/stage/demo_cast.h"
#include "kernel/mounts/mount_info.h"
#include "machine/cgroups/host_cgroups.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kRemovePatience(5000);

std::string TemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && folder[0] == '/' ? folder : "/tmp";
}

// Takes the lock that says "a demo lives here"; the kernel lets go of it when that demo ends,
// however it ends.
bool Lock(const FileDescriptor& directory) {
  return ::flock(directory.get(), LOCK_EX | LOCK_NB) == 0;
}

FileDescriptor OpenFolder(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

Result<std::string> OwnProgram() {
  std::string path(PATH_MAX, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size < 0) return FailErrno("read /proc/self/exe");
  path.resize(static_cast<std::size_t>(size));
  return path;
}

Result<void> CheckSpace(const std::string& folder) {
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) return FailErrno("look at " + folder);
  const auto free_mib = static_cast<std::int64_t>(
      status.f_bavail * static_cast<std::uint64_t>(status.f_frsize) >> 20);
  if (free_mib >= 2 * kDemoDiskMiB) return {};
  return Fail(
      ErrorCode::kUnavailable,
      fmt::format(
          "{} has {} MiB free, but the demo needs {} MiB: set TMPDIR to a folder with more space",
          folder, free_mib, 2 * kDemoDiskMiB));
}

Result<std::unique_ptr<Cgroups>> OpenCgroups() {
  return OpenHostCgroups({.remove_patience = kRemovePatience});
}

Result<void> KillAndRemove(Cgroups& cgroups, const std::string& name) {
  if (auto killed = cgroups.Kill(name); !killed && killed.error().code != ErrorCode::kNotFound) {
    return killed;
  }
  return cgroups.Remove(name);
}

void RemoveCgroupLeftovers(DemoLeftovers& found) {
  const auto cgroups = OpenCgroups();
  if (!cgroups) return;
  const auto names = (*cgroups)->Children("");
  if (!names) return;
  for (const std::string& name : *names) {
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

// Only folders of the caller's own: others could lead us to delete what is not ours.
bool IsOwn(const FileDescriptor& folder) {
  struct stat status {};
  return ::fstat(folder.get(), &status) == 0 && status.st_uid == ::geteuid();
}

void RemoveFolderLeftovers(DemoLeftovers& found) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(TemporaryFolder(), error)) {
    if (!entry.path().filename().string().starts_with(kDemoPrefix)) continue;
    const FileDescriptor folder = OpenFolder(entry.path());
    if (!folder || !IsOwn(folder) || !Lock(folder)) continue;
    fs::remove_all(entry.path(), error);
    if (!error) found.removed.push_back("folder " + entry.path().string());
  }
}

}  // namespace

DemoFolder::DemoFolder(std::string path, FileDescriptor lock)
    : path_(std::move(path)), lock_(std::move(lock)) {}
DemoFolder::DemoFolder(DemoFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
DemoFolder::~DemoFolder() {
  (void)Remove();
}

Result<DemoFolder> DemoFolder::Make() {
  if (auto space = CheckSpace(TemporaryFolder()); !space) return Fail(space.error());
  std::string path = fmt::format("{}/{}XXXXXX", TemporaryFolder(), kDemoPrefix);
  if (::mkdtemp(path.data()) == nullptr) return FailErrno("make a folder " + path);
  FileDescriptor lock = OpenFolder(path);
  if (!lock || !Lock(lock)) {
    ::rmdir(path.c_str());
    return FailErrno("lock " + path);
  }
  return DemoFolder(std::move(path), std::move(lock));
}

Result<void> DemoFolder::Remove() {
  if (path_.empty()) return {};
  const std::string path = std::exchange(path_, {});
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return Fail(SystemError(error.value(), "remove " + path));
  return {};
}

DemoCgroup::DemoCgroup(std::string name, std::unique_ptr<Cgroups> cgroups, FileDescriptor lock)
    : name_(std::move(name)), cgroups_(std::move(cgroups)), lock_(std::move(lock)) {}
DemoCgroup::DemoCgroup(DemoCgroup&& other) noexcept
    : name_(std::exchange(other.name_, {})),
      cgroups_(std::move(other.cgroups_)),
      lock_(std::move(other.lock_)) {}
DemoCgroup::~DemoCgroup() {
  (void)Remove();
}

Result<DemoCgroup> DemoCgroup::Make(std::string_view suffix, const CgroupLimits& limits) {
  auto cgroups = OpenCgroups();
  if (!cgroups) return Fail(cgroups.error());
  DemoCgroup group(fmt::format("{}{}{}", kDemoPrefix, ::getpid(), suffix), std::move(*cgroups), {});
  if (auto made = group.cgroups_->Create(group.name_, limits); !made) return Fail(made.error());
  auto directory = group.cgroups_->OpenMemoryDirectory(group.name_);
  if (!directory) return Fail(directory.error());
  if (!Lock(*directory)) return FailErrno("lock control group " + group.name_);
  group.lock_ = std::move(*directory);
  return group;
}

Result<void> DemoCgroup::Remove() {
  if (name_.empty()) return {};
  return KillAndRemove(*cgroups_, std::exchange(name_, {}));
}

DemoNode::DemoNode(DemoFolder folder, DemoFilesystem filesystem, DemoCgroup cgroup,
                   std::optional<DemoCgroup> runtime_cgroup, DemoPaths paths)
    : folder_(std::move(folder)),
      filesystem_(std::move(filesystem)),
      cgroup_(std::move(cgroup)),
      runtime_cgroup_(std::move(runtime_cgroup)),
      paths_(std::move(paths)) {}

Result<DemoNode> DemoNode::SetUp(RuntimeKind runtime) {
  auto program = OwnProgram();
  if (!program) return Fail(program.error());
  auto folder = DemoFolder::Make();
  if (!folder) return Fail(folder.error());
  auto cgroup =
      DemoCgroup::Make("", {.memory_bytes = static_cast<std::uint64_t>(kDemoMemoryMiB) << 20,
                            .pids_max = kDemoNodePidsLimit});
  if (!cgroup) return Fail(cgroup.error());
  DemoPaths paths{.base = folder->path(),
                  .program = std::move(*program),
                  .node_cgroup = "/" + cgroup->name(),
                  .runtime = runtime};
  for (const std::string& made :
       {paths.Root(), paths.Manifests(), paths.Gates(), paths.Scratch()}) {
    if (::mkdir(made.c_str(), 0755) != 0) return FailErrno("make " + made);
  }
  if (auto entered = EnterPrivateMounts(); !entered) return Fail(entered.error());
  auto filesystem = DemoFilesystem::Mount(paths.Image(), paths.Root(), kDemoDiskMiB);
  if (!filesystem) return Fail(filesystem.error());
  DemoNode node(std::move(*folder), std::move(*filesystem), std::move(*cgroup), std::nullopt,
                std::move(paths));
  if (runtime == RuntimeKind::kCri) {
    if (auto started = node.StartRuntime(); !started) {
      (void)node.TearDown();
      return Fail(started.error());
    }
  }
  return node;
}

// A group of its own beside the node's: what the runtime uses is not the node's.
Result<void> DemoNode::StartRuntime() {
  auto cgroup = DemoCgroup::Make("-runtime", {});
  if (!cgroup) return Fail(cgroup.error());
  runtime_cgroup_.emplace(std::move(*cgroup));
  auto shim_folder = HiddenShimFolder::Hide();
  if (!shim_folder) return Fail(shim_folder.error());
  shim_folder_.emplace(std::move(*shim_folder));
  const auto pid = StartDemoContainerd(paths_.Containerd(), runtime_cgroup_->name());
  return pid ? Result<void>() : Fail(pid.error().In("a containerd for the demo"));
}

Result<void> DemoNode::TearDown() {
  // Each is tried, whatever became of the one before; the first failure is the cause of the others.
  const auto runtime = runtime_cgroup_ ? runtime_cgroup_->Remove() : Result<void>();
  const auto processes = cgroup_.Remove();
  shim_folder_.reset();
  kernel::DetachMountsBelow(paths_.base, paths_.Root());
  const auto mount = filesystem_.Unmount();
  const auto files = folder_.Remove();
  for (const auto& outcome : {runtime, processes, mount, files}) {
    if (!outcome) return outcome;
  }
  return {};
}

std::string DemoNode::Describe() const {
  return fmt::format("a node of {} MiB in the control group {}, {} MiB of disk ({}) below {}",
                     kDemoMemoryMiB, cgroup_.name(), kDemoDiskMiB, filesystem_.description(),
                     folder_.path()) +
         (runtime_cgroup_ ? ", pods on a containerd of its own" : "");
}

DemoLeftovers RemoveDemoLeftovers() {
  DemoLeftovers found;
  RemoveCgroupLeftovers(found);
  RemoveFolderLeftovers(found);
  return found;
}

}  // namespace jettison
