#include "kernel/files/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/text/number.h"

namespace jettison {
namespace {

constexpr const char* kAccessList = "system.posix_acl_access";  // acl(5)

// As the kernel hands it out; empty: there is none.
std::vector<char> AccessListOf(const std::string& path) {
  std::vector<char> list(XATTR_SIZE_MAX);
  const ssize_t size = ::getxattr(path.c_str(), kAccessList, list.data(), list.size());
  list.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return list;
}

// An owner can be kept only with CAP_CHOWN, a group also by its members.
bool KeepOwner(const struct stat& old, int file) {
  if (::fchown(file, old.st_uid, old.st_gid) != 0) {
    (void)::fchown(file, static_cast<uid_t>(-1), old.st_gid);
  }
  struct stat now {};
  return ::fstat(file, &now) == 0 && now.st_uid == old.st_uid && now.st_gid == old.st_gid;
}

// With a list, the bits of the group in a mode are the most that the list gives, and the group
// itself may have less. A folder may have given the file a list that the old file has not.
bool KeepAccessList(const std::vector<char>& list, int file) {
  if (!list.empty()) return ::fsetxattr(file, kAccessList, list.data(), list.size(), 0) == 0;
  (void)::fremovexattr(file, kAccessList);
  return true;
}

// What a file of another owner or group may have of this mode: for its group and all others only
// what both had.
mode_t WithoutOwner(mode_t mode) {
  const mode_t both = (mode >> 3U) & mode & S_IRWXO;
  return (mode & (S_IRWXU | S_ISVTX)) | (both << 3U) | both;
}

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
    return std::max(-1, ParseNumber<int>(path.substr(folder.size())).value_or(-1));
  }
  return -1;
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

void GiveRightsOfNewFile(int file) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  (void)::fchmod(file, 0666 & ~mask);
}

// The mode comes last: a change of the owner takes set-id bits away, and until then the list gives
// nothing that it does not give in the end.
bool TakeOverRights(const std::string& path, int file) {
  struct stat old {};
  if (::stat(path.c_str(), &old) != 0) return false;
  const bool is_owner_kept = KeepOwner(old, file);
  const std::vector<char> list = AccessListOf(path);
  const bool is_list_kept = (is_owner_kept || list.empty()) && KeepAccessList(list, file);
  mode_t mode = old.st_mode & 07777;
  if (!is_owner_kept) mode = WithoutOwner(mode);
  if (!is_list_kept) mode &= S_IRWXU;
  (void)::fchmod(file, mode);
  return true;
}

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
  if (!TakeOverRights(path_, file_.get())) GiveRightsOfNewFile(file_.get());
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
