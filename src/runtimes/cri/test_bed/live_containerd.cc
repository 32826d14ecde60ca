#include "runtimes/cri/test_bed/live_containerd.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "kernel/files/files.h"
#include "rpc/client.h"
#include "runtimes/cri/test_bed/containerd_remains.h"

namespace jettison::cri {
namespace {

constexpr Duration kCallDeadline = std::chrono::seconds(10);
constexpr std::chrono::seconds kStartPatience(60);  // emulated machines are slow

std::string EndOf(const std::string& log) {
  constexpr std::size_t kTail = 2000;
  const std::string text = kernel::ReadFile(log).value_or("no log");
  return text.size() > kTail ? text.substr(text.size() - kTail) : text;
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
  bed->own_ = {.root = options.root.empty() ? bed->folder() + "/root" : options.root,
               .folder = bed->folder(),
               .pause_image = kPauseImage,
               .cgroup_driver = options.cgroup_driver};
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
  own_.root = root;
  stray_.clear();
  if (const auto started = StartAgain(); !started) return started;
  return Import({{.reference = kPauseImage}, {.reference = kTestImage}});
}

Result<void> LiveContainerd::Spawn() {
  const auto pid = own_.Start();
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
      return Fail(ErrorCode::kUnavailable, "containerd does not start: " + EndOf(own_.Log()));
    }
  }
}

Result<void> LiveContainerd::Import(const std::vector<TestImage>& images) {
  if (const auto imported = own_.Import(kCriNamespace, images); !imported) return imported;
  for (const TestImage& image : images) {
    if (const auto seen = AwaitImage(image.reference); !seen) return seen;
  }
  return {};
}

Result<void> LiveContainerd::RunStray(const StrayContainer& container) {
  if (stray_.insert(container.in_namespace).second && container.in_namespace != kCriNamespace) {
    const auto imported = own_.Import(container.in_namespace, {{.reference = kTestImage}});
    if (!imported) return imported;
  }
  // Without pipes, which ctr would leave outside the folder.
  std::vector<std::string> words = {
      "run",      "--detach",           "--null-io", "--runc-root", folder() + "/runc",
      "--cgroup", "/" + container.group};
  words.insert(words.end(), container.options.begin(), container.options.end());
  words.insert(words.end(), {kTestImage, container.id, "/test-program"});
  words.insert(words.end(), container.arguments.begin(), container.arguments.end());
  return own_.Ctr(container.in_namespace, words);
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
