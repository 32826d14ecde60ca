#include "sources/manifests/manifest_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>

#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                                  IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
// Where it cannot be told whether a file has a writer, it may have one for so long.
constexpr std::int64_t kFreshSeconds = 1;
// After so long a file is read although it seems to be open for writing: some programs never close
// it, and on some network file systems each file seems so.
constexpr std::int64_t kWriterPauseSeconds = 60;

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

bool IsHidden(std::string_view name) {
  return name.starts_with('.');
}

Result<std::string> ReadText(int fd, std::int64_t size) {
  std::string text;
  std::array<char, 16384> buffer;
  while (size <= static_cast<std::int64_t>(kMaxManifestBytes) && text.size() <= kMaxManifestBytes) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FailErrno("read");
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("is larger than {} MiB", kMaxManifestBytes >> 20));
}

std::int64_t NsOf(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool IsYounger(const timespec& modified, std::int64_t seconds) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec - modified.tv_sec <= seconds && now.tv_sec >= modified.tv_sec;
}

// Whether the file that changed then is being written. The kernel refuses a lease for reading then.
// Not known where there are no leases (EINVAL), or of another user's file without CAP_LEASE
// (EACCES). A writer who comes just now waits until the lease is given back; the signal that tells
// of it is one that nobody handles.
bool IsBeingWritten(int fd, const timespec& modified) {
  if (!IsYounger(modified, kWriterPauseSeconds)) return false;
  if (fcntl(fd, F_SETSIG, SIGURG) == 0 && fcntl(fd, F_SETLEASE, F_RDLCK) == 0) {
    (void)fcntl(fd, F_SETLEASE, F_UNLCK);
    return false;
  }
  return errno == EAGAIN || IsYounger(modified, kFreshSeconds);
}

}  // namespace

ManifestDirectory::Stamp ManifestDirectory::StampOf(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = status.st_size,
          .modified_ns = NsOf(status.st_mtim),
          .changed_ns = NsOf(status.st_ctim)};
}

ManifestDirectory::ManifestDirectory(std::string path) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  folder_ = path_;
  Watch();
}

void ManifestDirectory::Expect(const std::vector<std::string>& files) {
  for (const std::string& file : files) known_.try_emplace(file);
}

// Watches the folder, or the folder of the file: the one that now has the path.
void ManifestDirectory::Watch() {
  struct stat status {};
  if (stat(path_.c_str(), &status) != 0) {
    watched_ = FailErrno(path_);
    return;
  }
  folder_ = path_;
  only_.reset();
  if (!S_ISDIR(status.st_mode)) {
    const std::size_t slash = path_.rfind('/');
    folder_ = slash == std::string::npos ? "." : path_.substr(0, std::max<std::size_t>(slash, 1));
    only_ = slash == std::string::npos ? path_ : path_.substr(slash + 1);
  }
  if (!inotify_) inotify_ = FileDescriptor(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify_) {
    watched_ = FailErrno("inotify_init1 (fs.inotify.max_user_instances may be too low)");
    return;
  }
  const int before = watch_;
  watch_ = inotify_add_watch(inotify_.get(), folder_.c_str(), kEvents);
  if (watch_ < 0) {
    watched_ = FailErrno("watch " + folder_);
  } else {
    watched_ = {};
  }
  if (before >= 0 && before != watch_) inotify_rm_watch(inotify_.get(), before);
}

bool ManifestDirectory::Wants(const std::string& name) const {
  return only_ ? name == *only_ : !IsHidden(name);
}

// Whether a file with that path is read; files of a previously configured path are not.
bool ManifestDirectory::IsHere(const std::string& file) const {
  const std::string start = PathOf("");
  if (!file.starts_with(start)) return false;
  const std::string name = file.substr(start.size());
  return !name.empty() && name.find('/') == std::string::npos && Wants(name);
}

// What the kernel tells only says when to look.
std::vector<ManifestChange> ManifestDirectory::Look() {
  std::array<char, 16384> events;
  while (read(inotify_.get(), events.data(), events.size()) > 0) {
  }
  Watch();
  any_unsettled_ = false;
  std::vector<ManifestChange> changes;
  // If a folder cannot be listed for a reason other than its absence, its files stay known.
  const auto found = List();
  listed_ = found || found.error().code == ErrorCode::kNotFound;
  if (!listed_) {
    watched_ = Fail(found.error());
    return changes;
  }
  std::set<std::string> files = found ? found->files : std::set<std::string>();
  for (const auto& [file, known] : known_) files.insert(file);
  for (const std::string& file : files) {
    auto change = IsHere(file) ? LookAt(file) : Gone(file);
    if (change) changes.push_back(std::move(*change));
  }
  const bool is_another = folder_id_ && found && *folder_id_ != found->folder;
  if (found) folder_id_ = found->folder;
  if (found && !is_another && !known_.empty()) return changes;
  for (ManifestChange& change : changes) {
    if (auto* const gone = std::get_if<ManifestGone>(&change.now)) gone->with_folder = true;
  }
  return changes;
}

Result<ManifestDirectory::Listing> ManifestDirectory::List() const {
  const std::unique_ptr<DIR, CloseDirectory> directory(opendir(folder_.c_str()));
  struct stat status {};
  if (directory == nullptr || fstat(dirfd(directory.get()), &status) != 0) {
    return FailErrno(folder_);
  }
  Listing listing{.folder = {status.st_dev, status.st_ino}, .files = {}};
  for (;;) {
    errno = 0;
    const dirent* const entry = readdir(directory.get());
    if (entry == nullptr && errno != 0) return FailErrno(folder_);
    if (entry == nullptr) break;
    if (Wants(entry->d_name)) listing.files.insert(PathOf(entry->d_name));
  }
  return listing;
}

ManifestChange ManifestDirectory::Unreadable(const std::string& file, Error error) {
  (void)known_[file];
  return {file, ManifestUnreadable{std::move(error)}};
}

// Only regular files are opened, because opening a device can have an effect.
std::optional<ManifestChange> ManifestDirectory::LookAt(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return Gone(file);
    return Unreadable(file, SystemError(errno, "stat"));
  }
  if (S_ISDIR(status.st_mode)) return Gone(file);
  const auto known = known_.find(file);
  if (known != known_.end() && known->second.stamp == StampOf(status)) return std::nullopt;
  // The file may be replaced by a FIFO at this moment, so the open must not block.
  FileDescriptor fd;
  if (S_ISREG(status.st_mode)) {
    fd = FileDescriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd && errno == ENOENT) return Gone(file);
    if (!fd) return Unreadable(file, SystemError(errno, "open"));
    if (fstat(fd.get(), &status) != 0) return Unreadable(file, SystemError(errno, "stat"));
    if (IsBeingWritten(fd.get(), status.st_mtim)) {
      any_unsettled_ = true;
      return ManifestChange{file, ManifestUnsettled{}};
    }
  }
  auto text = S_ISREG(status.st_mode) ? ReadWithin(file, fd, status.st_size)
                                      : Fail(ErrorCode::kInvalidArgument, "is not a regular file");
  // A file that could not be read this time does not count as reported.
  const bool told = text || text.error().code == ErrorCode::kInvalidArgument;
  known_[file] = {.stamp = told ? StampOf(status) : Stamp{}, .text_bytes = text ? text->size() : 0};
  if (!text) return Unreadable(file, std::move(text.error()));
  return ManifestChange{file, ManifestText{std::move(*text)}};
}

// The text, if it fits beside those of the other files. Each Look tries a text that did not fit
// again, because others may have become smaller.
Result<std::string> ManifestDirectory::ReadWithin(const std::string& file, const FileDescriptor& fd,
                                                  std::int64_t size) const {
  auto text = ReadText(fd.get(), size);
  if (!text) return text;
  std::size_t all = text->size();
  for (const auto& [other, known] : known_) all += other == file ? 0 : known.text_bytes;
  if (all <= kMaxFolderBytes) return text;
  return Fail(ErrorCode::kUnavailable,
              fmt::format("is not read: all manifests together would have more than {} MiB, which "
                          "is the limit; make them smaller or fewer",
                          kMaxFolderBytes >> 20));
}

std::optional<ManifestChange> ManifestDirectory::Gone(const std::string& file) {
  if (known_.erase(file) == 0) return std::nullopt;
  struct stat link {};
  return ManifestChange{
      file, ManifestGone{.with_folder = lstat(file.c_str(), &link) == 0 && S_ISLNK(link.st_mode)}};
}

}  // namespace jettison
