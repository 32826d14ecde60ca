#include "platform/manifests/manifest_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <set>

#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                                  IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
constexpr std::uint32_t kSelfEvents = IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED;
constexpr std::int64_t kFreshSeconds = 1;

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

bool IsHidden(std::string_view name) {
  return name.starts_with('.');
}

Result<std::string> ReadText(int fd, std::int64_t size) {
  if (size > static_cast<std::int64_t>(kMaxManifestBytes)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("is larger than {} MiB", kMaxManifestBytes >> 20));
  }
  std::string text;
  std::array<char, 16384> buffer;
  while (text.size() <= kMaxManifestBytes) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FailErrno("read");
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("is larger than {} MiB", kMaxManifestBytes >> 20));
}

// A name that was just made is complete at once when it is a link to a file that was there before;
// for a new file the close of its writer tells.
bool IsLink(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return false;
  return S_ISLNK(status.st_mode) || (S_ISREG(status.st_mode) && status.st_nlink > 1);
}

bool SameTime(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool IsFresh(const timespec& modified) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec - modified.tv_sec <= kFreshSeconds && now.tv_sec >= modified.tv_sec;
}

}  // namespace

bool ManifestDirectory::Stamp::Equals(const Stamp& other) const {
  return device == other.device && inode == other.inode && size == other.size &&
         SameTime(modified, other.modified) && SameTime(changed, other.changed);
}

Result<ManifestDirectory> ManifestDirectory::Open(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  FileDescriptor inotify(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify) return FailErrno("inotify_init1");
  ManifestDirectory directory(std::move(path), std::move(inotify));
  directory.Watch();
  return directory;
}

// Watches the folder, or the folder of the file. Where the kernel refuses, Rescan tries again.
void ManifestDirectory::Watch() {
  struct stat status {};
  folder_ = path_;
  only_.reset();
  if (stat(path_.c_str(), &status) != 0) {
    watched_ = FailErrno(path_);
    return;
  }
  if (!S_ISDIR(status.st_mode)) {
    const std::size_t slash = path_.rfind('/');
    folder_ = slash == std::string::npos ? "." : path_.substr(0, std::max<std::size_t>(slash, 1));
    only_ = slash == std::string::npos ? path_ : path_.substr(slash + 1);
  }
  watch_ = inotify_add_watch(inotify_.get(), folder_.c_str(), kEvents);
  if (watch_ < 0) {
    watched_ = FailErrno("watch " + folder_);
  } else {
    watched_ = {};
  }
}

bool ManifestDirectory::Wants(const std::string& name) const {
  return only_ ? name == *only_ : !IsHidden(name);
}

std::vector<ManifestChange> ManifestDirectory::TakeChanges() {
  std::set<std::string> names;
  bool all = false;
  bool lost = false;
  alignas(inotify_event) std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t got = read(inotify_.get(), buffer.data(), buffer.size());
    if (got <= 0) break;
    for (ssize_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const char* text = buffer.data() + at + sizeof(event);
      const std::string name = event.len > 0 ? std::string(text) : std::string();
      at += static_cast<ssize_t>(sizeof(event) + event.len);
      if ((event.mask & kSelfEvents) != 0 && event.wd == watch_) lost = true;
      if ((event.mask & IN_Q_OVERFLOW) != 0) all = true;
      if (name.empty()) continue;
      // Behind a link the file that counts has another name.
      if (!Wants(name)) {
        all = all || IsHidden(name);
      } else if ((event.mask & IN_CREATE) == 0 || IsLink(PathOf(name))) {
        names.insert(name);
      }
    }
  }
  if (lost) {
    watch_ = -1;
    Watch();
  }
  if (all || lost) return ScanAll(Patience::kReadNow);
  std::vector<ManifestChange> changes;
  for (const std::string& name : names) {
    if (auto change = Look(name, Patience::kReadNow)) changes.push_back(std::move(*change));
  }
  return changes;
}

std::vector<ManifestChange> ManifestDirectory::Rescan() {
  const bool told_by_kernel = scanned_ && watched_;
  if (!watched_) Watch();
  scanned_ = true;
  const Patience patience = told_by_kernel ? Patience::kLeaveFreshFiles : Patience::kReadNow;
  return ScanAll(patience);
}

Result<std::vector<std::string>> ManifestDirectory::Names() const {
  if (only_) return std::vector<std::string>{*only_};
  const std::unique_ptr<DIR, CloseDirectory> directory(opendir(folder_.c_str()));
  if (directory == nullptr) return FailErrno(folder_);
  std::vector<std::string> names;
  while (const dirent* entry = readdir(directory.get())) {
    if (!IsHidden(entry->d_name)) names.emplace_back(entry->d_name);
  }
  std::ranges::sort(names);
  return names;
}

std::vector<ManifestChange> ManifestDirectory::ScanAll(Patience patience) {
  std::vector<ManifestChange> changes;
  std::set<std::string> names;
  // A folder that cannot be listed for another reason than its absence keeps what it had.
  const auto listed = Names();
  if (listed) {
    names.insert(listed->begin(), listed->end());
  } else if (listed.error().code != ErrorCode::kNotFound) {
    watched_ = Fail(listed.error());
    return changes;
  }
  for (const auto& [name, stamp] : known_) names.insert(name);
  for (const std::string& name : names) {
    if (auto change = Look(name, patience)) changes.push_back(std::move(*change));
  }
  return changes;
}

std::optional<ManifestChange> ManifestDirectory::Look(const std::string& name, Patience patience) {
  // Opening a FIFO or a device must not block.
  const FileDescriptor fd(open(PathOf(name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) {
    if (errno == ENOENT) return Gone(name);
    return ManifestChange{PathOf(name), ManifestUnreadable{SystemError(errno, "open")}};
  }
  struct stat status {};
  if (fstat(fd.get(), &status) != 0 || S_ISDIR(status.st_mode)) return Gone(name);
  const Stamp stamp = {.device = status.st_dev,
                       .inode = status.st_ino,
                       .size = status.st_size,
                       .modified = status.st_mtim,
                       .changed = status.st_ctim};
  const auto known = known_.find(name);
  if (known != known_.end() && known->second.Equals(stamp)) return std::nullopt;
  if (patience == Patience::kLeaveFreshFiles && IsFresh(status.st_mtim)) return std::nullopt;
  known_[name] = stamp;
  if (!S_ISREG(status.st_mode)) {
    return ManifestChange{
        PathOf(name), ManifestUnreadable{{ErrorCode::kInvalidArgument, "is not a regular file"}}};
  }
  auto text = ReadText(fd.get(), status.st_size);
  if (!text) return ManifestChange{PathOf(name), ManifestUnreadable{text.error()}};
  return ManifestChange{PathOf(name), ManifestText{std::move(*text)}};
}

std::optional<ManifestChange> ManifestDirectory::Gone(const std::string& name) {
  if (known_.erase(name) == 0) return std::nullopt;
  return ManifestChange{PathOf(name), ManifestGone{}};
}

}  // namespace jettison
