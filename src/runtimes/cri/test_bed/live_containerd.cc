#include "runtimes/cri/test_bed/live_containerd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string_view>

#include "core/text/parts.h"
#include "kernel/files/files.h"
#include "pods/tree_removal.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"
#include "rpc/client.h"

namespace jettison::cri {
namespace {

// Standard output and error are written to `output`. The program ends with this thread, gets no
// signals from the terminal, and blocks none.
Result<pid_t> Spawn(const std::vector<std::string>& arguments, int output) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (::access(argv.front(), X_OK) != 0) return FailErrno("start " + arguments.front());
  const FileDescriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const pid_t pid = ::fork();
  if (pid < 0) return FailErrno("start " + arguments.front());
  if (pid > 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setsid();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(input.get(), STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execv(argv.front(), argv.data());
  ::_exit(127);
}

// Runs a program (a path and its arguments) to its end, without input. One that fails, or cannot be
// started, is an error with the last line that it printed.
Result<void> RunProgram(const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return FailErrno("make a pipe");
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const auto pid = Spawn(arguments, writing.get());
  writing = FileDescriptor();
  if (!pid) return Fail(pid.error());
  std::string text = kernel::ReadToEnd(reading.get()).value_or("");
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return {};
  while (text.ends_with('\n')) text.pop_back();
  return Fail(ErrorCode::kInternal,
              fmt::format("{} failed: {}", arguments.front(), text.substr(text.rfind('\n') + 1)));
}

// References and arguments contain nothing that JSON requires to be escaped.
std::string ListJson(const std::vector<std::string>& texts) {
  return texts.empty() ? "[]" : fmt::format(R"(["{}"])", fmt::join(texts, R"(",")"));
}

// Version 2 of containerd's configuration (containerd-config.toml(5), CRI plugin's config.md).
// - opt and the snapshotters that are switched off would make or probe things of the host.
// - Nothing may need a privilege that a machine in a container lacks: no AppArmor, no negative
//   oom_score_adj (restrict_oom_score_adj: without CAP_SYS_RESOURCE runc refuses the sandbox's).
// - cni: without it pods share the host's network.
// - Root: runc keeps its state outside containerd's otherwise.
constexpr const char* kConfiguration = R"(version = 2
root = "{root}"
state = "{folder}/state"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs",
  "io.containerd.snapshotter.v1.aufs", "io.containerd.tracing.processor.v1.otlp",
  "io.containerd.internal.v1.tracing"]
[grpc]
  address = "{socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  disable_tcp_service = true
  disable_apparmor = true
  restrict_oom_score_adj = true
  tolerate_missing_hugetlb_controller = true
  stats_collect_period = 1
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{folder}/no-cni"
    conf_dir = "{folder}/no-cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        BinaryName = "{runc}"
        Root = "{folder}/runc"
        SystemdCgroup = {systemd}
)";

// Makes image.tar in the folder $1 as `docker save` does: the program $2 in an image of the
// reference $3 and the arguments $4, with a file of $5 bytes. Without its reference two images with
// the same content would be one.
constexpr const char* kMakeArchive = R"(set -e
umask 022
cd "$1"
mkdir -p image/layer/tmp image/layer/etc
cd image
chmod 1777 layer/tmp
cp "$2" layer/test-program
[ "$5" = 0 ] || head -c "$5" /dev/zero | tr '\0' p >layer/padding
tar -C layer -cf layer.tar .
digest=$(sha256sum <layer.tar)
cat >config.json <<END
{"architecture":"amd64","os":"linux",
 "config":{"Entrypoint":["/test-program"],"Cmd":$4,"WorkingDir":"/",
           "Labels":{"jettison.io/reference":"$3"}},
 "rootfs":{"type":"layers","diff_ids":["sha256:${digest%% *}"]}}
END
echo '[{"Config":"config.json","RepoTags":["'"$3"'"],"Layers":["layer.tar"]}]' >manifest.json
tar -cf ../image.tar config.json layer.tar manifest.json
cd ..
rm -r image
)";

// The program of that name in $PATH or where administrators' programs are; kNotFound where there is
// none.
Result<std::string> FindProgram(const std::string& name) {
  const char* path = std::getenv("PATH");
  const std::string folders = fmt::format(
      "{}:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin", path == nullptr ? "" : path);
  for (std::string_view rest = folders; !rest.empty();) {
    const std::string candidate = fmt::format("{}/{}", TakePart(rest, ':'), name);
    if (candidate.starts_with('/') && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return Fail(ErrorCode::kNotFound, fmt::format("there is no program {} in $PATH", name));
}

constexpr const char* kCriNamespace = "k8s.io";  // of what CRI makes

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience(20);

std::string ReadOrNothing(const std::string& path) {
  return kernel::ReadFile(path).value_or("");
}

std::vector<std::string> NamesIn(const std::string& folder) {
  return kernel::NamesIn(folder).value_or(std::vector<std::string>{});
}

// Whether a process is a shim or runc of that containerd (which have its folder in their arguments)
// or is in a container: in a different mount namespace than this process, with its root in the
// folder.
bool BelongsTo(const std::string& folder, const std::string& process) {
  const std::string arguments = ReadOrNothing(process + "/cmdline");
  const bool is_ours = arguments.find("containerd-shim") != std::string::npos ||
                       arguments.find("runc") != std::string::npos;
  if (is_ours && arguments.find(folder + "/") != std::string::npos) return true;
  std::error_code error;
  const fs::path its = fs::read_symlink(process + "/ns/mnt", error);
  if (error || its == fs::read_symlink("/proc/self/ns/mnt", error)) return false;
  return ReadOrNothing(process + "/mountinfo").find(folder + "/") != std::string::npos;
}

bool Until(const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::poll(nullptr, 0, 2);  // the kernel reports none of this
  }
  return true;
}

constexpr Duration kCallDeadline = std::chrono::seconds(10);
constexpr std::chrono::seconds kStartPatience(60);  // emulated machines are slow

std::string EndOf(const std::string& log) {
  constexpr std::size_t kTail = 2000;
  const std::string text = kernel::ReadFile(log).value_or("no log");
  return text.size() > kTail ? text.substr(text.size() - kTail) : text;
}

}  // namespace

std::vector<pid_t> ProcessesOf(const std::string& folder) {
  std::vector<pid_t> processes;
  for (const std::string& name : NamesIn("/proc")) {
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    if (pid != ::getpid() && BelongsTo(folder, "/proc/" + name)) processes.push_back(pid);
  }
  return processes;
}

namespace {

// Sockets of its shims, which stand outside the folder.
std::vector<std::string> ShimSocketsOf(const std::string& folder) {
  constexpr std::string_view kScheme = "unix://";
  std::vector<std::string> sockets;
  const std::string tasks = folder + "/state/io.containerd.runtime.v2.task/";
  for (const std::string& space : NamesIn(tasks)) {  // namespaces
    for (const std::string& id : NamesIn(tasks + space)) {
      std::string path = ReadOrNothing(tasks + space + "/" + id + "/address");
      if (!path.starts_with(kScheme)) continue;
      path.erase(0, kScheme.size());
      if (fs::exists(path)) sockets.push_back(path);
    }
  }
  std::ranges::sort(sockets);
  sockets.erase(std::ranges::unique(sockets).begin(), sockets.end());
  return sockets;
}

}  // namespace

std::vector<std::string> GroupsNamed(const std::string& group) {
  std::vector<std::string> groups;
  std::error_code error;
  // The mount is the one hierarchy of cgroup v2, or a folder with hierarchies.
  std::vector<std::string> tops = {"/sys/fs/cgroup/" + group};
  for (const std::string& hierarchy : NamesIn("/sys/fs/cgroup")) {
    tops.push_back("/sys/fs/cgroup/" + hierarchy + "/" + group);
  }
  for (const std::string& top : tops) {
    if (!fs::is_directory(top, error)) continue;
    groups.push_back(top);
    for (fs::recursive_directory_iterator at(top, error), end; !error && at != end;
         at.increment(error)) {
      if (at->is_directory(error)) groups.push_back(at->path());
    }
  }
  std::ranges::sort(groups, std::ranges::greater());
  return groups;
}

namespace {

// Ends and removes all of that, waiting for the kernel as long as it takes, at most some seconds.
void RemoveRemains(const std::string& folder, const std::string& group) {
  const std::vector<std::string> sockets = ShimSocketsOf(folder);
  (void)Until([&] {
    const std::vector<pid_t> processes = ProcessesOf(folder);
    for (const pid_t pid : processes) ::kill(pid, SIGKILL);
    return processes.empty();
  });
  (void)RemoveTrees({folder});
  for (const std::string& socket : sockets) ::unlink(socket.c_str());
  (void)Until([&] {
    const std::vector<std::string> groups = GroupsNamed(group);
    for (const std::string& path : groups) ::rmdir(path.c_str());
    return groups.empty();
  });
}

}  // namespace

std::optional<std::string> LiveContainerd::Obstacle() {
  if (::geteuid() != 0) return "containerd needs root";
  for (const char* program : {"containerd", "ctr", "runc", "containerd-shim-runc-v2"}) {
    if (!FindProgram(program)) return fmt::format("{} is not installed", program);
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
  bed->cgroup_driver_ = options.cgroup_driver;
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

Result<void> LiveContainerd::StartAgainAt(const std::string& root) {
  root_ = root;
  stray_.clear();
  if (const auto started = StartAgain(); !started) return started;
  return Import({{.reference = kPauseImage}, {.reference = kTestImage}});
}

Result<void> LiveContainerd::Spawn() {
  const auto containerd = FindProgram("containerd");
  if (!containerd) return Fail(containerd.error());
  const auto runc = FindProgram("runc");
  if (!runc) return Fail(runc.error());
  const std::string config = folder() + "/config.toml";
  auto written = kernel::WriteFile(
      config, fmt::format(fmt::runtime(kConfiguration), fmt::arg("root", root_),
                          fmt::arg("folder", folder()), fmt::arg("socket", socket()),
                          fmt::arg("pause", kPauseImage), fmt::arg("runc", *runc),
                          fmt::arg("systemd", cgroup_driver_ == CgroupDriver::kSystemd)));
  if (!written) return written;
  const FileDescriptor output(
      ::open(log().c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!output) return FailErrno("open " + log());
  const auto pid = cri::Spawn({*containerd, "--config", config}, output.get());
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
        [&](auto answer) { calls_->Make(kVersion, {}, kCallDeadline, std::move(answer)); });
    if (version) return {};
    if (HasEnded() || std::chrono::steady_clock::now() > end) {
      return Fail(ErrorCode::kUnavailable, "containerd does not start: " + EndOf(log()));
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

Result<void> LiveContainerd::RunStray(const StrayContainer& container) {
  if (stray_.insert(container.in_namespace).second && container.in_namespace != kCriNamespace) {
    const auto imported = ImportInto(container.in_namespace, {{.reference = kTestImage}});
    if (!imported) return imported;
  }
  // Without pipes, which ctr would leave outside the folder.
  std::vector<std::string> words = {
      "run",      "--detach",           "--null-io", "--runc-root", folder() + "/runc",
      "--cgroup", "/" + container.group};
  words.insert(words.end(), container.options.begin(), container.options.end());
  words.insert(words.end(), {kTestImage, container.id, "/test-program"});
  words.insert(words.end(), container.arguments.begin(), container.arguments.end());
  return Ctr(container.in_namespace, words);
}

Result<void> LiveContainerd::Ctr(const std::string& in_namespace,
                                 const std::vector<std::string>& words) const {
  const auto ctr = FindProgram("ctr");
  if (!ctr) return Fail(ctr.error());
  std::vector<std::string> command = {*ctr, "--address", socket(), "--namespace", in_namespace};
  command.insert(command.end(), words.begin(), words.end());
  return RunProgram(command);
}

Result<void> LiveContainerd::ImportInto(const std::string& in_namespace,
                                        const std::vector<TestImage>& images) const {
  for (const TestImage& image : images) {
    auto made = RunProgram({"/bin/sh", "-c", kMakeArchive, "sh", folder(),
                            JETTISON_CRI_TEST_PROGRAM, image.reference, ListJson(image.arguments),
                            fmt::to_string(image.padding_bytes)});
    if (!made) return made;
    const std::string path = folder() + "/image.tar";
    auto imported = Ctr(in_namespace, {"images", "import", path});
    ::unlink(path.c_str());
    if (!imported) return imported;
  }
  return {};
}

// The CRI plug-in learns of images from other clients by an event, a moment later.
Result<void> LiveContainerd::AwaitImage(const std::string& reference) {
  api::ImageStatusRequest request;
  request.mutable_image()->set_image(reference);
  const auto end = std::chrono::steady_clock::now() + kStartPatience;
  for (;;) {
    const auto answer = Await<api::ImageStatusResponse>(
        [&](auto given) { calls_->Make(kImageStatus, request, kCallDeadline, std::move(given)); });
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
  (void)::waitpid(pid_, nullptr, WUNTRACED);  // until all its threads have stopped
}

void LiveContainerd::Thaw() {
  ::kill(pid_, SIGCONT);
}

}  // namespace jettison::cri
