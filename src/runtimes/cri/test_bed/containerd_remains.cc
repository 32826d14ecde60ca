#include "runtimes/cri/test_bed/containerd_remains.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>

#include "kernel/files/files.h"
#include "pods/tree_removal.h"

namespace jettison::cri {
namespace {

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

}  // namespace jettison::cri
