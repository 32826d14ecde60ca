#include "cli/demo/stage/demo_containerd.h"

#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "cli/demo/stage/demo_image.h"
#include "cli/demo/stage/subprocess.h"
#include "machine/host_cgroups.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 200;
constexpr useconds_t kBetweenTries = 50'000;  // 10 s together

Result<std::string> Installed(const std::string& program) {
  auto found = FindProgram(program);
  if (found) return found;
  return Fail(ErrorCode::kNotFound,
              fmt::format("{} is not installed; try: apt-get install containerd runc", program));
}

// Without CNI the pods share the host's network. Nothing may need a privilege that a machine in a
// container lacks: no AppArmor, no negative oom_score_adj.
std::string ConfigText(const DemoContainerdPaths& paths, const std::string& runc) {
  return fmt::format(
      R"(version = 2
root = "{root}"
state = "{state}"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs",
  "io.containerd.snapshotter.v1.aufs", "io.containerd.tracing.processor.v1.otlp",
  "io.containerd.internal.v1.tracing"]
[grpc]
  address = "{socket}"
[ttrpc]
  address = "{socket}.ttrpc"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  disable_tcp_service = true
  disable_apparmor = true
  tolerate_missing_hugetlb_controller = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
      BinaryName = "{runc}"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{state}/no-cni"
    conf_dir = "{state}/no-cni"
)",
      fmt::arg("root", paths.root), fmt::arg("state", paths.state),
      fmt::arg("socket", paths.Socket()), fmt::arg("pause", kDemoPauseImage),
      fmt::arg("runc", runc));
}

Result<void> MakeFolders(const DemoContainerdPaths& paths) {
  std::error_code error;
  for (const std::string& folder :
       {paths.root, paths.state, paths.scratch + "/host", paths.scratch + "/pause"}) {
    fs::create_directories(folder, error);
    if (error) return Fail(ErrorCode::kInternal, "make " + folder + ": " + error.message());
  }
  return {};
}

// The shim is the program at hand that needs no library.
Result<std::string> PauseProgram() {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  const fs::path shim = own.parent_path() / "jettison-shim";
  if (error || !fs::exists(shim, error)) {
    return Fail(ErrorCode::kNotFound, "jettison-shim is not beside " + own.string());
  }
  return shim.string();
}

Result<void> MakeImages(const DemoContainerdPaths& paths) {
  const auto pause = PauseProgram();
  if (!pause) return Fail(pause.error());
  auto made = MakeHostImage(paths.scratch + "/host", paths.scratch + "/host.tar");
  if (!made) return made;
  return MakePauseImage(paths.scratch + "/pause", paths.scratch + "/pause.tar", *pause, "--pause");
}

std::string LastWords(const std::string& log) {
  std::ifstream file(log);
  std::string line;
  std::string last;
  while (std::getline(file, line)) last = line;
  return last;
}

Result<void> AwaitAnswer(const DemoContainerdPaths& paths, const std::string& ctr, pid_t pid) {
  for (int tries = 0; tries < kTries; ++tries) {
    if (::waitpid(pid, nullptr, WNOHANG) == pid) {
      return Fail(ErrorCode::kUnavailable, "containerd ended: " + LastWords(paths.Log()));
    }
    if (RunProgram({ctr, "--address", paths.Socket(), "version"})) return {};
    ::usleep(kBetweenTries);
  }
  return Fail(ErrorCode::kDeadlineExceeded,
              "containerd does not answer: " + LastWords(paths.Log()));
}

Result<void> ImportImages(const DemoContainerdPaths& paths, const std::string& ctr) {
  for (const char* archive : {"host.tar", "pause.tar"}) {
    const auto imported = RunProgram({ctr, "--address", paths.Socket(), "--namespace", "k8s.io",
                                      "images", "import", paths.scratch + "/" + archive});
    if (!imported) return Fail(imported.error().In("import an image"));
  }
  return {};
}

// So that whoever ends the group ends containerd, its shims and what these started.
Result<void> PutIntoGroup(const std::string& group, pid_t pid) {
  const auto groups = OpenHostCgroups({});
  if (!groups) return Fail(groups.error());
  return (*groups)->Join(group, pid);
}

constexpr const char* kShimFolder = "/run/containerd";

}  // namespace

Result<HiddenShimFolder> HiddenShimFolder::Hide() {
  const bool made = ::mkdir(kShimFolder, 0711) == 0;
  if (!made && errno != EEXIST) return FailErrno(std::string("make ") + kShimFolder);
  if (::mount("jettison-demo", kShimFolder, "tmpfs", MS_NOSUID | MS_NODEV, "size=16m") != 0) {
    const Error error = SystemError(errno, std::string("mount a tmpfs on ") + kShimFolder);
    if (made) ::rmdir(kShimFolder);
    return Fail(error);
  }
  return HiddenShimFolder(made);
}

HiddenShimFolder::~HiddenShimFolder() {
  if (!hidden_) return;
  (void)::umount2(kShimFolder, MNT_DETACH | UMOUNT_NOFOLLOW);
  if (made_) ::rmdir(kShimFolder);
}

Result<pid_t> StartDemoContainerd(const DemoContainerdPaths& paths) {
  const auto containerd = Installed("containerd");
  if (!containerd) return Fail(containerd.error());
  const auto runc = Installed("runc");
  if (!runc) return Fail(runc.error());
  const auto ctr = Installed("ctr");
  if (!ctr) return Fail(ctr.error());
  if (auto made = MakeFolders(paths); !made) return Fail(made.error());
  if (auto made = MakeImages(paths); !made) return Fail(made.error());
  const std::string config = paths.state + "/config.toml";
  std::ofstream(config) << ConfigText(paths, *runc) << std::flush;
  const auto pid = StartProgram({*containerd, "--config", config}, paths.Log());
  if (!pid) return Fail(pid.error());
  if (auto put = PutIntoGroup(paths.cgroup, *pid); !put) return Fail(put.error());
  if (auto answered = AwaitAnswer(paths, *ctr, *pid); !answered) return Fail(answered.error());
  if (auto imported = ImportImages(paths, *ctr); !imported) return Fail(imported.error());
  std::error_code ignored;
  fs::remove_all(paths.scratch, ignored);
  return *pid;
}

}  // namespace jettison
