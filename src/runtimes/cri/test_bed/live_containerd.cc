#include "runtimes/cri/test_bed/live_containerd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "kernel/files/files.h"
#include "ports/system_error.h"
#include "rpc/client.h"
#include "runtimes/cri/test_bed/containerd_remains.h"

namespace jettison::cri {
namespace {

constexpr Duration kCallDeadline = std::chrono::seconds(10);
constexpr std::chrono::seconds kStartPatience(60);  // emulated machines are slow

constexpr const char* kCriNamespace = "k8s.io";

// Version 2 of containerd's configuration (containerd-config.toml(5), CRI plugin's config.md).
// - opt and the snapshotters that are switched off would make or probe things of the host.
// - restrict_oom_score_adj: test machines may lack CAP_SYS_RESOURCE; without it runc refuses the
//   sandbox's negative value.
// - Root: runc keeps its state outside containerd's otherwise.
constexpr const char* kConfiguration = R"(version = 2
root = "{root}"
state = "{folder}/state"
disabled_plugins = [
  "io.containerd.internal.v1.opt",
  "io.containerd.internal.v1.tracing",
  "io.containerd.tracing.processor.v1.otlp",
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
]
[grpc]
address = "{folder}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{pause}"
disable_tcp_service = true
disable_apparmor = true
restrict_oom_score_adj = true
tolerate_missing_hugetlb_controller = true
stats_collect_period = 1
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "{folder}/cni"
conf_dir = "{folder}/cni"
[plugins."io.containerd.grpc.v1.cri".containerd]
default_runtime_name = "runc"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
Root = "{folder}/runc"
SystemdCgroup = {systemd}
)";

// Forks and executes a program with its output at the end of a file; it ends with this thread.
Result<pid_t> Execute(std::vector<std::string> words, const std::string& log) {
  const FileDescriptor output(::open(log.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0644));
  if (!output) return FailErrno("open " + log);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) return FailErrno("fork");
  if (pid > 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setsid();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(output.get(), STDOUT_FILENO);
  ::dup2(output.get(), STDERR_FILENO);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

std::string EndOf(const std::string& log) {
  constexpr std::size_t kTail = 2000;
  const std::string text = pod_host::ReadFile(log).value_or("no log");
  return text.size() > kTail ? text.substr(text.size() - kTail) : text;
}

bool IsInPath(const std::string& program) {
  constexpr std::array kFolders = {"/usr/sbin/", "/usr/bin/", "/usr/local/sbin/",
                                   "/usr/local/bin/"};
  for (const char* folder : kFolders) {
    if (::access((folder + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> LiveContainerd::Obstacle() {
  if (::geteuid() != 0) return "containerd needs root";
  for (const char* program : {"containerd", "ctr", "runc", "containerd-shim-runc-v2"}) {
    if (!IsInPath(program)) return fmt::format("{} is not installed", program);
  }
  return std::nullopt;
}

LiveContainerd::LiveContainerd() {
  static int count = 0;
  group_ = fmt::format("jettison-cri-{}-{}", ::getpid(), count++);
}

Result<std::unique_ptr<LiveContainerd>> LiveContainerd::Start(LiveContainerdOptions options) {
  std::unique_ptr<LiveContainerd> bed(new LiveContainerd);
  bed->root_ = options.root.empty() ? bed->folder() + "/root" : options.root;
  const auto configured = pod_host::WriteFile(
      bed->folder() + "/config.toml",
      fmt::format(fmt::runtime(kConfiguration), fmt::arg("folder", bed->folder()),
                  fmt::arg("root", bed->root_), fmt::arg("pause", kPauseImage),
                  fmt::arg("systemd", options.cgroup_driver == CgroupDriver::kSystemd)));
  if (!configured) return Fail(configured.error());
  Result<std::unique_ptr<Calls>> calls = Connect(bed->endpoint());
  if (!calls) return Fail(calls.error());
  bed->calls_ = *std::move(calls);
  if (const auto started = bed->StartAgain(); !started) return Fail(started.error());
  options.images.push_back({.reference = kPauseImage});
  options.images.push_back({.reference = kTestImage});
  if (const auto imported = bed->Import(options.images); !imported) return Fail(imported.error());
  return bed;
}

LiveContainerd::~LiveContainerd() {
  calls_.reset();
  Kill();
  RemoveRemains(folder(), group_);
}

Result<void> LiveContainerd::StartAgain() {
  if (const auto spawned = Spawn(); !spawned) return spawned;
  return AwaitReady();
}

Result<void> LiveContainerd::Spawn() {
  const auto pid =
      Execute({"containerd", "--config", folder() + "/config.toml"}, folder() + "/containerd.log");
  if (!pid) return Fail(pid.error());
  pid_ = *pid;
  process_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  return {};
}

bool LiveContainerd::HasEnded() const {
  pollfd ended{.fd = process_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, 5) == 1;
}

Result<void> LiveContainerd::AwaitReady() {
  const auto end = std::chrono::steady_clock::now() + kStartPatience;
  for (;;) {
    const auto version = Await<api::VersionResponse>(
        [&](auto answer) { calls_->Version(kCallDeadline, std::move(answer)); });
    if (version) return {};
    if (HasEnded() || std::chrono::steady_clock::now() > end) {
      return Fail(ErrorCode::kUnavailable,
                  "containerd does not start: " + EndOf(folder() + "/containerd.log"));
    }
  }
}

Result<void> LiveContainerd::Import(const std::vector<TestImage>& images) {
  if (const auto imported = ImportInto(kCriNamespace, images); !imported) return imported;
  for (const TestImage& image : images) {
    if (const auto seen = AwaitImage(image.reference); !seen) return seen;
  }
  return {};
}

Result<void> LiveContainerd::ImportInto(const std::string& of,
                                        const std::vector<TestImage>& images) {
  const auto archive = ImageArchive(images, JETTISON_CRI_TEST_PROGRAM);
  if (!archive) return Fail(archive.error());
  const std::string path = folder() + "/images.tar";
  if (const auto written = pod_host::WriteFile(path, *archive); !written) return written;
  const auto imported = Ctr(of, {"images", "import", path});
  ::unlink(path.c_str());
  return imported;
}

Result<void> LiveContainerd::Ctr(const std::string& of, const std::vector<std::string>& words) {
  std::vector<std::string> command = {"ctr", "--address", socket(), "--namespace", of};
  command.insert(command.end(), words.begin(), words.end());
  const std::string log = folder() + "/ctr.log";
  const auto pid = Execute(std::move(command), log);
  if (!pid) return Fail(pid.error());
  int status = -1;
  (void)::waitpid(*pid, &status, 0);
  if (status != 0) return Fail(ErrorCode::kInternal, "ctr: " + EndOf(log));
  return {};
}

Result<void> LiveContainerd::RunStray(const StrayContainer& container) {
  if (stray_.insert(container.of).second && container.of != kCriNamespace) {
    const auto imported = ImportInto(container.of, {{.reference = kTestImage}});
    if (!imported) return imported;
  }
  // Without pipes, which ctr would leave behind outside the folder.
  std::vector<std::string> words = {
      "run",      "--detach",           "--null-io", "--runc-root", folder() + "/runc",
      "--cgroup", "/" + container.group};
  words.insert(words.end(), container.options.begin(), container.options.end());
  words.insert(words.end(), {kTestImage, container.id, "/test-program"});
  words.insert(words.end(), container.arguments.begin(), container.arguments.end());
  return Ctr(container.of, words);
}

// The CRI plug-in hears of images that others bring by an event, a moment later.
Result<void> LiveContainerd::AwaitImage(const std::string& reference) {
  api::ImageStatusRequest request;
  request.mutable_image()->set_image(reference);
  const auto end = std::chrono::steady_clock::now() + kStartPatience;
  for (;;) {
    const auto answer = Await<api::ImageStatusResponse>(
        [&](auto given) { calls_->ImageStatus(request, kCallDeadline, std::move(given)); });
    if (!answer) return Fail(answer.error());
    if (answer->has_image()) return {};
    if (HasEnded() || std::chrono::steady_clock::now() > end) {
      return Fail(ErrorCode::kUnavailable, "image " + reference + " was imported and is not seen");
    }
  }
}

void LiveContainerd::Kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  (void)::waitpid(pid_, nullptr, 0);
  pid_ = -1;
  process_.Close();
}

void LiveContainerd::Freeze() {
  ::kill(pid_, SIGSTOP);
  (void)::waitpid(pid_, nullptr, WUNTRACED);  // until all its threads stand
}

void LiveContainerd::Thaw() {
  ::kill(pid_, SIGCONT);
}

std::vector<std::string> LiveContainerd::Traces() const {
  std::vector<std::string> traces = MountsOf(folder());
  for (const pid_t pid : ProcessesOf(folder())) traces.push_back(fmt::format("process {}", pid));
  for (std::string& socket : ShimSocketsOf(folder())) traces.push_back(std::move(socket));
  for (std::string& group : GroupsNamed(group_)) traces.push_back(std::move(group));
  return traces;
}

}  // namespace jettison::cri
