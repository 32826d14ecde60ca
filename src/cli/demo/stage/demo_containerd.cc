#include "cli/demo/stage/demo_containerd.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "kernel/files/files.h"
#include "machine/cgroups/host_cgroups.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
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
  std::ifstream file(log);
  std::string line;
  std::string last;
  while (std::getline(file, line)) last = line;
  return last;
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

Result<pid_t> StartDemoContainerd(const cri::OwnContainerd& own, const std::string& group) {
  for (const std::string& folder : {own.root, own.folder}) {
    if (auto made = kernel::MakeFolders(folder); !made) return Fail(made.error());
  }
  auto pause = PauseImage();
  if (!pause) return Fail(pause.error());
  const auto pid = own.Start();
  if (!pid) return Fail(pid.error());
  if (auto put = PutIntoGroup(group, *pid); !put) return Fail(put.error());
  if (auto answered = AwaitAnswer(own, *pid); !answered) return Fail(answered.error());
  const auto imported = own.Import(cri::kCriNamespace, {HostImage(), *std::move(pause)});
  if (!imported) return Fail(imported.error().In("import an image"));
  return *pid;
}

}  // namespace jettison
