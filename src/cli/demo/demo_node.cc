#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "cli/demo/demo.h"
#include "kernel/mounts/mount_info.h"
#include "machine/cgroups/host_cgroups.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// What every demo's folder and control group are called, followed by its process id.
constexpr std::string_view kDemoPrefix = "jettison-demo-";

// The pods that behave leave 150 MiB of memory and 60 MiB of disk above the thresholds, and each
// that does not takes a few seconds for that.
constexpr std::uint64_t kMemoryBytes = std::uint64_t{512} << 20;

// Only root writes there, so what has this name is a demo's.
std::string FolderOf(const std::string& name) {
  return "/run/" + name;
}

// Takes the lock that says "a demo lives here"; the kernel lets go of it when that demo ends,
// however it ends.
bool Lock(const FileDescriptor& directory) {
  return ::flock(directory.get(), LOCK_EX | LOCK_NB) == 0;
}

// The processes go first, then the mounts, then the files, and the group last, because the next
// demo finds by it what is left. Each is tried, whatever became of the one before; the first
// failure is the cause of the others.
Result<void> Remove(Cgroups& cgroups, const std::string& name) {
  Result<void> outcome = cgroups.Kill(name);
  kernel::DetachMountsBelow(FolderOf(name), "");
  std::error_code error;
  fs::remove_all(FolderOf(name), error);
  if (outcome || outcome.error().code == ErrorCode::kNotFound) outcome = cgroups.Remove(name);
  if (outcome && error) return Fail(SystemError(error.value(), "remove " + FolderOf(name)));
  return outcome;
}

}  // namespace

Result<std::vector<std::string>> DemoNode::RemoveLeftovers() {
  auto cgroups = OpenHostCgroups({.remove_patience = std::chrono::seconds(5)});
  if (!cgroups) return Fail(cgroups.error());
  cgroups_ = *std::move(cgroups);
  const auto groups = cgroups_->Children("");
  if (!groups) return Fail(groups.error());
  std::vector<std::string> removed;
  for (const std::string& name : *groups) {
    if (!name.starts_with(kDemoPrefix)) continue;
    const auto directory = cgroups_->OpenMemoryDirectory(name);
    if (!directory) continue;
    if (!Lock(*directory)) {
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("another demo is running ({}) and uses the same process ids: wait "
                              "until it has ended",
                              name));
    }
    if (Remove(*cgroups_, name)) removed.push_back(name);
  }
  return removed;
}

Result<void> DemoNode::SetUp() {
  name_ = fmt::format("{}{}", kDemoPrefix, ::getpid());
  folder_ = FolderOf(name_);
  auto made = cgroups_->Create(name_, {.memory_bytes = kMemoryBytes, .pids_max = kMostPids});
  if (!made) return made;
  auto directory = cgroups_->OpenMemoryDirectory(name_);
  if (!directory) return Fail(directory.error());
  lock_ = *std::move(directory);
  if (!Lock(lock_)) return FailErrno("lock control group " + name_);
  for (const char* below : {"", "/node", "/manifests", "/scratch"}) {
    if (::mkdir((folder_ + below).c_str(), 0755) != 0) return FailErrno("make " + folder_ + below);
  }
  if (::mount("jettison-demo", (folder_ + "/node").c_str(), "tmpfs", MS_NOSUID | MS_NODEV,
              "size=96m,nr_inodes=4096,mode=0755") != 0) {
    return FailErrno("mount a tmpfs in " + folder_);
  }
  return {};
}

Result<void> DemoNode::TearDown() {
  if (name_.empty()) return {};
  return Remove(*cgroups_, std::exchange(name_, {}));
}

}  // namespace jettison
