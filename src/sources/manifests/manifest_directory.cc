#include "sources/manifests/manifest_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <memory>

#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                                  IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
constexpr std::uint32_t kSelfEvents = IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED;
constexpr std::int64_t kFreshSeconds = 1;
// After so long a file is read although it seems to be open for writing: some programs never close
// it, and on some network file systems each file seems so.
constexpr std::int64_t kWriterPauseSeconds = 60;
// How many files that are gone are remembered: as many as there are pods on the largest nodes.
constexpr std::size_t kMostToldGone = 1024;

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

// A new name is complete at once if it is a link to an existing file; a new file is complete when
// its writer closes it.
bool IsLink(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return false;
  return S_ISLNK(status.st_mode) || (S_ISREG(status.st_mode) && status.st_nlink > 1);
}

std::int64_t NsOf(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool IsYounger(const timespec& modified, std::int64_t seconds) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec - modified.tv_sec <= seconds && now.tv_sec >= modified.tv_sec;
}

// The kernel refuses a lease for reading then. Not known where there are no leases (EINVAL), or of
// another user's file without CAP_LEASE (EACCES). A writer who comes just now waits until the lease
// is given back; the signal that tells of it is one that nobody handles.
bool HasWriter(int fd) {
  if (fcntl(fd, F_SETSIG, SIGURG) != 0) return false;
  if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN;
  (void)fcntl(fd, F_SETLEASE, F_UNLCK);
  return false;
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

// Watches the folder, or the folder of the file. Where the kernel refuses, Rescan tries again.
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

// The kernel does not report a mount over the folder.
bool ManifestDirectory::IsSameFolder() const {
  struct stat status {};
  return stat(folder_.c_str(), &status) == 0 && folder_id_ &&
         *folder_id_ == FolderId{status.st_dev, status.st_ino};
}

std::vector<ManifestChange> ManifestDirectory::TakeChanges() {
  std::set<std::string> files;
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
      // The file behind a link has a different name.
      if (!Wants(name)) {
        all = all || IsHidden(name);
      } else if ((event.mask & IN_CREATE) == 0 || IsLink(PathOf(name))) {
        files.insert(PathOf(name));
      }
    }
  }
  if (lost) {
    watch_ = -1;
    Watch();
  }
  return all || lost ? ScanAll(Patience::kReadNow) : ScanSome(files);
}

std::vector<ManifestChange> ManifestDirectory::Rescan() {
  const bool told_by_kernel = scanned_ && watched_ && IsSameFolder();
  if (!told_by_kernel) Watch();
  scanned_ = true;
  const Patience patience = told_by_kernel ? Patience::kLeaveFreshFiles : Patience::kReadNow;
  return ScanAll(patience);
}

std::vector<ManifestChange> ManifestDirectory::LookAgain() {
  return ScanSome(std::exchange(written_, {}));
}

Result<ManifestDirectory::Listing> ManifestDirectory::List() const {
  const std::unique_ptr<DIR, CloseDirectory> directory(opendir(folder_.c_str()));
  struct stat status {};
  if (directory == nullptr || fstat(dirfd(directory.get()), &status) != 0) {
    return FailErrno(folder_);
  }
  Listing listing{.folder = {status.st_dev, status.st_ino}};
  if (only_) {
    listing.files.push_back(PathOf(*only_));
    return listing;
  }
  for (;;) {
    errno = 0;
    const dirent* const entry = readdir(directory.get());
    if (entry == nullptr && errno != 0) return FailErrno(folder_);
    if (entry == nullptr) break;
    if (!IsHidden(entry->d_name)) listing.files.push_back(PathOf(entry->d_name));
  }
  return listing;
}

std::vector<ManifestChange> ManifestDirectory::ScanAll(Patience patience) {
  std::vector<ManifestChange> changes;
  std::set<std::string> files;
  written_.clear();
  // If a folder cannot be listed for a reason other than its absence, its files stay known.
  auto listed = List();
  listed_ = listed || listed.error().code == ErrorCode::kNotFound;
  if (listed) {
    files.insert(listed->files.begin(), listed->files.end());
  } else if (!listed_) {
    watched_ = Fail(listed.error());
    return changes;
  }
  for (const auto& [file, known] : known_) files.insert(file);
  for (const std::string& file : files) {
    auto change = IsHere(file) ? Look(file, patience) : Gone(file);
    if (change) changes.push_back(std::move(*change));
  }
  const bool another = folder_id_ && listed && *folder_id_ != listed->folder;
  if (listed) folder_id_ = listed->folder;
  if (!listed || another || known_.empty()) NoteGoneWithFolder(changes);
  return changes;
}

void ManifestDirectory::NoteGoneWithFolder(std::vector<ManifestChange>& changes) {
  for (ManifestChange& change : changes) {
    if (auto* const gone = std::get_if<ManifestGone>(&change.now)) gone->with_folder = true;
  }
}

std::vector<ManifestChange> ManifestDirectory::ScanSome(const std::set<std::string>& files) {
  std::vector<ManifestChange> changes;
  for (const std::string& file : files) {
    if (auto change = Look(file, Patience::kReadNow)) changes.push_back(std::move(*change));
  }
  if (known_.empty() || !IsSameFolder()) NoteGoneWithFolder(changes);
  return changes;
}

ManifestChange ManifestDirectory::Unreadable(const std::string& file, Error error) {
  (void)Know(file);
  return {file, ManifestUnreadable{std::move(error)}};
}

ManifestDirectory::Known& ManifestDirectory::Know(const std::string& file) {
  std::erase(told_gone_, file);
  return known_[file];
}

// A file that was never there is told of when it is complete. One that was deleted may be on its
// way back, and whoever was told that it is gone has to know.
std::optional<ManifestChange> ManifestDirectory::Unsettled(const std::string& file) const {
  const bool was_here =
      known_.contains(file) || std::ranges::find(told_gone_, file) != told_gone_.end();
  if (!was_here) return std::nullopt;
  return ManifestChange{file, ManifestUnsettled{}};
}

// Only regular files are opened, because opening a device can have an effect.
std::optional<ManifestChange> ManifestDirectory::Look(const std::string& file, Patience patience) {
  written_.erase(file);
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return Gone(file);
    return Unreadable(file, SystemError(errno, "stat"));
  }
  if (S_ISDIR(status.st_mode)) return Gone(file);
  const auto known = known_.find(file);
  if (known != known_.end() && known->second.stamp == StampOf(status)) return std::nullopt;
  const bool is_fresh = IsYounger(status.st_mtim, kFreshSeconds);
  if (patience == Patience::kLeaveFreshFiles && is_fresh) return Unsettled(file);
  // The file may be replaced by a FIFO at this moment, so the open must not block.
  FileDescriptor fd;
  if (S_ISREG(status.st_mode)) {
    fd = FileDescriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd && errno == ENOENT) return Gone(file);
    if (!fd) return Unreadable(file, SystemError(errno, "open"));
    if (fstat(fd.get(), &status) != 0) return Unreadable(file, SystemError(errno, "stat"));
    if (IsYounger(status.st_mtim, kWriterPauseSeconds) && HasWriter(fd.get())) {
      written_.insert(file);
      return Unsettled(file);
    }
  }
  auto text = S_ISREG(status.st_mode) ? ReadWithin(file, fd, status.st_size)
                                      : Fail(ErrorCode::kInvalidArgument, "is not a regular file");
  // A file that could not be read this time does not count as reported.
  const bool told = text || text.error().code == ErrorCode::kInvalidArgument;
  Know(file) = {.stamp = told ? StampOf(status) : Stamp{}, .text_bytes = text ? text->size() : 0};
  if (!text) return Unreadable(file, std::move(text.error()));
  return ManifestChange{file, ManifestText{std::move(*text)}};
}

// The text, if it fits beside those of the other files. Each Rescan tries a text that did not fit
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
  told_gone_.push_back(file);
  if (told_gone_.size() > kMostToldGone) told_gone_.pop_front();
  struct stat link {};
  return ManifestChange{
      file, ManifestGone{.with_folder = lstat(file.c_str(), &link) == 0 && S_ISLNK(link.st_mode)}};
}

}  // namespace jettison
