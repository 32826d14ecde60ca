#include "kernel/groups/group_arrivals.h"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "ports/system_error.h"

namespace jettison::kernel {

Result<void> GroupArrivals::Watch(const std::string& group) {
  if (watches_.contains(group)) return {};
  const auto folder = groups_.OpenMemoryDirectory(group);
  if (!folder) return Fail(folder.error());
  if (!inotify_) inotify_ = FileDescriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify_) {
    return Fail(SystemError(errno, "inotify_init1 (fs.inotify.max_user_instances may be too low)"));
  }
  const std::string path = fmt::format("/proc/self/fd/{}", folder->get());
  const int watch = ::inotify_add_watch(inotify_.get(), path.c_str(), IN_CREATE | IN_ONLYDIR);
  if (watch < 0) {
    return Fail(
        SystemError(errno, "inotify_add_watch (fs.inotify.max_user_watches may be too low)"));
  }
  watches_[group] = watch;
  by_watch_[watch] = group;
  return {};
}

void GroupArrivals::Forget(const std::string& group) {
  const auto watch = watches_.extract(group);
  if (watch.empty()) return;
  by_watch_.erase(watch.mapped());
  ::inotify_rm_watch(inotify_.get(), watch.mapped());  // if the group is gone, so is the watch
}

GroupArrivals::News GroupArrivals::Take() {
  News news;
  alignas(inotify_event) std::array<char, 4096> buffer;
  while (inotify_) {
    const ssize_t got = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (got <= 0) break;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      at += sizeof event + event.len;
      news.lost = news.lost || (event.mask & IN_Q_OVERFLOW) != 0;
      const auto group = by_watch_.find(event.wd);
      if (group == by_watch_.end()) continue;
      if ((event.mask & IN_IGNORED) != 0) {  // the group is gone
        watches_.erase(group->second);
        by_watch_.erase(group);
      } else if (std::ranges::find(news.groups, group->second) == news.groups.end()) {
        news.groups.push_back(group->second);
      }
    }
  }
  return news;
}

}  // namespace jettison::kernel
