#include "kernel/files/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace jettison {
namespace {

// A name that no other program gives to a file beside it.
constexpr std::string_view kDraftMark = ".jettison-";
constexpr std::string_view kDraftSuffix = "XXXXXX";

Error ErrnoAt(const std::string& what) {
  return {ErrorCode::kInternal, fmt::format("{}: {}", what, std::strerror(errno))};
}

std::filesystem::path FolderOf(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

// The number of this process's own stream that a path names; -1: it names none.
int StreamAt(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view number = path.substr(folder.size());
    int stream = -1;
    const auto [rest, fault] =
        std::from_chars(number.data(), number.data() + number.size(), stream);
    const bool is_number = fault == std::errc() && rest == number.data() + number.size();
    return is_number && stream >= 0 ? stream : -1;
  }
  return -1;
}

// As any program makes a new file.
void GiveNewFileMode(int file) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  (void)::fchmod(file, 0666 & ~mask);
}

// What a file of another owner or group may have of this mode, so that nobody gains a right: no
// set-id bits, and for its group and all others only what both had.
mode_t WithoutOwner(mode_t mode) {
  const mode_t both = (mode >> 3U) & mode & S_IRWXO;
  return (mode & (S_IRWXU | S_ISVTX)) | (both << 3U) | both;
}

// Gives the draft the owner, the group and the mode of the file whose place it takes. An owner can
// be kept only with CAP_CHOWN, a group also by its members. The mode comes last, because a change
// of the owner takes set-id bits away; where a file system refuses it, the draft stays its owner's
// alone.
void TakeOver(const struct stat& old, int draft) {
  if (::fchown(draft, old.st_uid, old.st_gid) != 0) {
    (void)::fchown(draft, static_cast<uid_t>(-1), old.st_gid);
  }
  struct stat now {};
  const bool is_kept =
      ::fstat(draft, &now) == 0 && now.st_uid == old.st_uid && now.st_gid == old.st_gid;
  const mode_t mode = old.st_mode & 07777;
  (void)::fchmod(draft, is_kept ? mode : WithoutOwner(mode));
}

// The writer of a draft holds its lock, and a dead process holds none.
void RemoveLeftDrafts(const std::string& path) {
  const std::string begins =
      std::filesystem::path(path).filename().string() + std::string(kDraftMark);
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(FolderOf(path), failed)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begins) || name.size() != begins.size() + kDraftSuffix.size()) {
      continue;
    }
    const FileDescriptor draft(
        ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (draft && ::flock(draft.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
  }
}

}  // namespace

std::string WithoutLinks(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel follows
  std::string end = path;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code is_none;
    const std::filesystem::path target = std::filesystem::read_symlink(end, is_none);
    if (is_none) return end;
    end = (FolderOf(end) / target).string();
  }
  return path;
}

WholeFile::WholeFile(const std::string& path) : path_(path) {
  if (const int stream = StreamAt(path); stream >= 0) {
    file_ = FileDescriptor(::fcntl(stream, F_DUPFD_CLOEXEC, 0));
    if (!file_) fault_ = ErrnoAt("cannot write " + path_);
    return;
  }
  struct stat there {};
  const bool is_there = ::stat(path.c_str(), &there) == 0;
  if (is_there && S_ISDIR(there.st_mode)) {
    fault_ =
        Error{ErrorCode::kInvalidArgument, fmt::format("cannot write {}: it is a folder", path)};
  } else if (is_there && !S_ISREG(there.st_mode)) {
    file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file_) fault_ = ErrnoAt("cannot write " + path_);
  } else {
    path_ = WithoutLinks(path);
    OpenDraft();
  }
}

void WholeFile::OpenDraft() {
  RemoveLeftDrafts(path_);
  // Another writer takes a draft without a lock for one that was left, and removes it.
  struct stat facts {};
  do {
    draft_ = path_ + std::string(kDraftMark) + std::string(kDraftSuffix);
    file_ = FileDescriptor(::mkostemp(draft_.data(), O_CLOEXEC));
    if (!file_) {
      fault_ = ErrnoAt("cannot make a file beside " + path_);
      return;
    }
    (void)::flock(file_.get(), LOCK_EX);
  } while (::fstat(file_.get(), &facts) == 0 && facts.st_nlink == 0);
}

WholeFile::~WholeFile() {
  if (file_ && !draft_.empty()) ::unlink(draft_.c_str());
}

bool WholeFile::Add(std::string_view bytes) {
  while (!fault_ && !bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fault_ = ErrnoAt("cannot write " + (draft_.empty() ? path_ : draft_));
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    if (written > 0) size_ += static_cast<std::uint64_t>(written);
  }
  return !fault_;
}

Result<void> WholeFile::PutInPlace() {
  if (fault_) return Fail(*fault_);
  if (draft_.empty()) {
    file_.Close();
    return {};
  }
  struct stat old {};
  if (::stat(path_.c_str(), &old) == 0) {
    TakeOver(old, file_.get());
  } else {
    GiveNewFileMode(file_.get());
  }
  if (::fsync(file_.get()) != 0) return Fail(ErrnoAt("cannot write " + draft_));
  if (::rename(draft_.c_str(), path_.c_str()) != 0) return Fail(ErrnoAt("cannot make " + path_));
  file_.Close();
  return {};
}

Result<void> WriteWholeFile(const std::string& path, std::string_view text) {
  WholeFile file(path);
  (void)file.Add(text);  // PutInPlace returns the failure
  return file.PutInPlace();
}

}  // namespace jettison
