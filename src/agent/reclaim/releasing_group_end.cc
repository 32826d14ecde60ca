#include "agent/reclaim/releasing_group_end.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <vector>

#include "kernel/groups/group_processes.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/readiness/pidfd.h"

namespace jettison {
namespace {

// If there are more processes than this, they are signalled beside the loop, and their memory is
// left to the kernel: so many processes hold little memory each, and each handle costs a descriptor
// until the release is done.
constexpr std::size_t kMostAtOnce = 64;

// They are opened before the kill, so that a reused process id is never affected.
std::vector<FileDescriptor> HandlesOf(const Result<std::vector<pid_t>>& pids) {
  std::vector<FileDescriptor> handles;
  if (!pids) return handles;
  for (std::size_t i = 0; i < std::min(pids->size(), kMostAtOnce); ++i) {
    FileDescriptor handle = kernel::OpenPidfd((*pids)[i]);
    // The last descriptors are needed for the kill.
    if (!handle && (errno == EMFILE || errno == ENFILE)) return {};
    if (handle) handles.push_back(std::move(handle));
  }
  return handles;
}

}  // namespace

void ReleasingGroupEnd::SendBeside(std::string_view path, int signal) {
  const std::lock_guard lock(mutex_);
  std::erase_if(pods_, [](const auto& pod) { return pod.second.orders.empty(); });
  Pod& pod = pods_[std::string(kernel::PodPart(path))];
  const auto [place, is_new] = pod.orders.emplace(path, signal);
  if (!is_new) return;
  pod.jobs.Do([this, &pod, order = *place] {
    (void)(order.second == SIGKILL ? groups_.Kill(order.first)
                                   : groups_.Signal(order.first, order.second));
    const std::lock_guard sent(mutex_);
    pod.orders.erase(order);
  });
}

bool ReleasingGroupEnd::IsSignalling(std::string_view path) {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(pods_, [path](const auto& pod) {
    return std::ranges::any_of(pod.second.orders, [path](const auto& order) {
      const std::string& group = order.first;
      return path.starts_with(group) && (path.size() == group.size() || path[group.size()] == '/');
    });
  });
}

// A process may have very many threads, so processes are counted and not tasks. With thousands of
// tasks that would take milliseconds itself, so they count as many.
bool ReleasingGroupEnd::AreMany(std::string_view path) const {
  if (!releases_.running()) return false;
  constexpr std::uint64_t kMostListed = 1024;
  const auto tasks = groups_.ReadPids(path);
  if (!tasks || *tasks <= kMostAtOnce) return false;
  if (*tasks > kMostListed) return true;
  const auto pids = groups_.Processes(path);
  return pids && pids->size() > kMostAtOnce;
}

Result<void> ReleasingGroupEnd::Signal(std::string_view path, int signal) {
  if (!AreMany(path)) return groups_.Signal(path, signal);
  SendBeside(path, signal);
  return {};
}

Result<void> ReleasingGroupEnd::Kill(std::string_view path) {
  if (AreMany(path)) {
    SendBeside(path, SIGKILL);
    return {};
  }
  if (!releases_.running()) return groups_.Kill(path);
  auto handles = std::make_shared<std::vector<FileDescriptor>>(HandlesOf(groups_.Processes(path)));
  auto killed = groups_.Kill(path);
  if (!killed || handles->empty()) return killed;
  // A release fails if the process has ended already, if it shares its memory with a living one, or
  // if the kernel lacks the call. The memory then becomes free later, as without a release.
  releases_.DoInstead([release = release_, handles] {
    for (FileDescriptor& process : *handles) {
      (void)release(process);
      process.Close();
    }
  });
  return killed;
}

bool ReleasingGroupEnd::CacheIsDropped(std::string_view path) {
  const auto now = std::chrono::steady_clock::now();
  if (const auto found = drops_.find(path); found != drops_.end()) {
    if (!*found->second.done && now - found->second.since < patience_) return false;
    drops_.erase(found);
    return true;
  }
  auto directory = groups_.OpenMemoryDirectory(path);
  if (!cache_.running() || !directory || !kernel::HasPagesToDrop(directory->get())) return true;
  auto done = std::make_shared<std::atomic<bool>>(false);
  drops_[std::string(path)] = {.since = now, .done = done};
  cache_.Do([done, of = std::make_shared<const FileDescriptor>(*std::move(directory))] {
    kernel::DropPages(of->get());
    *done = true;
  });
  return false;
}

Result<void> ReleasingGroupEnd::Remove(std::string_view path) {
  if (!CacheIsDropped(path)) {
    return Fail(ErrorCode::kUnavailable,
                "the page cache of group " + std::string(path) + " is being dropped");
  }
  return groups_.Remove(path);
}

}  // namespace jettison
