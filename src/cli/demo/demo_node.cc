#include "cli/demo/demo_node.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/mounts/mount_info.h"
#include "kernel/programs/programs.h"
#include "machine/cgroups/host_cgroups.h"
#include "ports/system_error.h"
#include "runtimes/cri/own_containerd/own_containerd.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// What every demo's folder and control group are called, followed by something of its own.
constexpr std::string_view kDemoPrefix = "jettison-demo-";
// In which containerd's shims put their sockets.
constexpr const char* kShimFolder = "/run/containerd";
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

using Kind = cri::ImageEntry::Kind;

constexpr int kContainerdTries = 200;
constexpr useconds_t kBetweenContainerdTries = 50'000;  // 10 s together

// The program in it is the shim: the one at hand that needs no library.
Result<cri::OwnImage> PauseImage() {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  const fs::path shim = own.parent_path() / "jettison-shim";
  if (error || !fs::exists(shim, error)) {
    return Fail(ErrorCode::kNotFound, "jettison-shim is not beside " + own.string());
  }
  auto bytes = kernel::ReadFile(shim);
  if (!bytes) return Fail(bytes.error());
  return cri::OwnImage{
      .reference = kDemoPauseImage,
      .entrypoint = {"/pause", "--pause"},
      .entries = {
          {"usr/"}, {"tmp/"}, {"etc/"}, {"proc/"}, {"pause", Kind::kFile, *std::move(bytes)}}};
}

// It holds no file, only the links to /usr that a program of the host needs once /usr is mounted.
cri::OwnImage HostImage() {
  cri::OwnImage image{.reference = kDemoHostImage,
                      .entrypoint = {"/bin/true"},
                      .entries = {{"usr/"}, {"tmp/"}, {"etc/"}, {"proc/"}}};
  for (const std::string name : {"bin", "sbin", "lib", "lib64"}) {
    image.entries.push_back({name, Kind::kLink, "usr/" + name});
  }
  return image;
}

std::string LastWords(const std::string& log) {
  const std::string text = kernel::ReadFile(log).value_or("");
  const std::size_t end = text.find_last_not_of('\n') + 1;
  const std::size_t begin = text.rfind('\n', end == 0 ? 0 : end - 1);
  return text.substr(begin + 1, end - begin - 1);
}

Result<void> AwaitAnswer(const cri::OwnContainerd& own, pid_t pid) {
  for (int tries = 0; tries < kContainerdTries; ++tries) {
    if (::waitpid(pid, nullptr, WNOHANG) == pid) {
      return Fail(ErrorCode::kUnavailable, "containerd ended: " + LastWords(own.Log()));
    }
    if (own.Ctr(cri::kCriNamespace, {"version"})) return {};
    ::usleep(kBetweenContainerdTries);
  }
  return Fail(ErrorCode::kDeadlineExceeded, "containerd does not answer: " + LastWords(own.Log()));
}

// A containerd of the demo's own, with the images of a demo. Its processes are put into a control
// group (from the root of each hierarchy).
Result<void> StartDemoContainerd(const DemoPaths& paths, const std::string& group) {
  const cri::OwnContainerd own{.root = paths.Root() + "/containerd",
                               .folder = paths.Containerd(),
                               .pause_image = kDemoPauseImage};
  for (const std::string& folder : {own.root, own.folder}) {
    if (auto made = kernel::MakeFolders(folder); !made) return Fail(made.error());
  }
  auto pause = PauseImage();
  if (!pause) return Fail(pause.error());
  const auto pid = own.Start();
  if (!pid) return Fail(pid.error());
  const auto groups = OpenHostCgroups({});
  if (!groups) return Fail(groups.error());
  // Whoever ends the group ends containerd, its shims and what these started, too.
  const auto places = (*groups)->OpenProcs(group);
  if (!places) return Fail(places.error());
  for (const ProcsFile& place : *places) {
    if (::dprintf(place.file.get(), "%d", *pid) < 0) return FailErrno("join " + place.name);
  }
  if (auto answered = AwaitAnswer(own, *pid); !answered) return answered;
  const auto imported = own.Import(cri::kCriNamespace, {HostImage(), *std::move(pause)});
  return imported ? Result<void>() : Fail(imported.error().In("import an image"));
}

}  // namespace

Result<void> DemoNode::MakeFolders() {
  if (auto space = CheckSpace(TemporaryFolder()); !space) return space;
  std::string path = fmt::format("{}/{}XXXXXX", TemporaryFolder(), kDemoPrefix);
  if (::mkdtemp(path.data()) == nullptr) return FailErrno("make a folder " + path);
  paths_.base = path;
  if (!Lock(locks_.emplace_back(OpenFolder(path)))) return FailErrno("lock " + path);
  for (const std::string& made :
       {paths_.Root(), paths_.Manifests(), paths_.Gates(), paths_.Scratch()}) {
    if (::mkdir(made.c_str(), 0755) != 0) return FailErrno("make " + made);
  }
  return {};
}

Result<void> DemoNode::MakeGroup(const std::string& name, const CgroupLimits& limits) {
  groups_.push_back(name);
  if (auto made = cgroups_->Create(name, limits); !made) return made;
  auto directory = cgroups_->OpenMemoryDirectory(name);
  if (!directory) return Fail(directory.error());
  return Lock(locks_.emplace_back(*std::move(directory))) ? Result<void>()
                                                          : FailErrno("lock control group " + name);
}

// What the runtime uses is not the node's, and the sockets of its shims are not the host's.
Result<void> DemoNode::StartRuntime() {
  if (auto made = MakeGroup(groups_.front() + "-runtime", {}); !made) return made;
  made_shim_folder_ = ::mkdir(kShimFolder, 0711) == 0;
  if (::mount("jettison-demo", kShimFolder, "tmpfs", MS_NOSUID | MS_NODEV, "size=16m") != 0) {
    return FailErrno(fmt::format("mount a tmpfs on {}", kShimFolder));
  }
  auto started = StartDemoContainerd(paths_, groups_.back());
  return started ? started : Fail(started.error().In("a containerd for the demo"));
}

Result<void> DemoNode::SetUp(RuntimeKind runtime) {
  std::error_code error;
  paths_.program = fs::read_symlink("/proc/self/exe", error);
  if (error) return Fail(SystemError(error.value(), "read /proc/self/exe"));
  paths_.runtime = runtime;
  if (auto made = MakeFolders(); !made) return made;
  auto cgroups = OpenHostCgroups({.remove_patience = kRemovePatience});
  if (!cgroups) return Fail(cgroups.error());
  cgroups_ = *std::move(cgroups);
  const std::string group = fmt::format("{}{}", kDemoPrefix, ::getpid());
  paths_.node_cgroup = "/" + group;
  auto made = MakeGroup(group, {.memory_bytes = static_cast<std::uint64_t>(kDemoMemoryMiB) << 20,
                                .pids_max = kDemoNodePidsLimit});
  if (!made) return made;
  if (auto entered = EnterPrivateMounts(); !entered) return entered;
  auto filesystem = MountSmallFilesystem(paths_.base, paths_.Root());
  if (!filesystem) return Fail(filesystem.error());
  filesystem_ = *std::move(filesystem);
  return runtime == RuntimeKind::kCri ? StartRuntime() : Result<void>();
}

// The runtime and the processes go first, then the mounts, then the files. Each is tried, whatever
// became of the one before; the first failure is the cause of the others.
Result<void> DemoNode::TearDown() {
  Result<void> outcome;
  while (!groups_.empty()) {
    auto removed = KillAndRemove(*cgroups_, groups_.back());
    if (outcome && !removed) outcome = std::move(removed);
    groups_.pop_back();
  }
  if (paths_.base.empty()) return outcome;
  if (made_shim_folder_) {
    (void)::umount2(kShimFolder, MNT_DETACH | UMOUNT_NOFOLLOW);
    ::rmdir(kShimFolder);
  }
  kernel::DetachMountsBelow(paths_.base, "");
  std::error_code error;
  const std::string base = std::exchange(paths_.base, {});
  fs::remove_all(base, error);
  if (outcome && error) outcome = Fail(SystemError(error.value(), "remove " + base));
  locks_.clear();
  return outcome;
}

std::string DemoNode::Describe() const {
  return fmt::format("a node of {} MiB in the control group {}, {} MiB of disk ({}) below {}{}",
                     kDemoMemoryMiB, groups_.front(), kDemoDiskMiB, filesystem_, paths_.base,
                     groups_.size() > 1 ? ", pods on a containerd of its own" : "");
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
