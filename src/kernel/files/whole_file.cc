#include "kernel/files/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
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

#include "core/text/number.h"

namespace jettison {
namespace {

// A name that no other program gives to a file beside it.
constexpr std::string_view kDraftSuffix = ".jettison-XXXXXX";

// Gives an open file, which only its owner may use so far, the rights of the file at this path,
// whose place it is to take, or those of a new one. With an access control list (acl(5)), the bits
// of the group in a mode are the most that the list gives, and the group itself may have less.
void GiveRights(const std::string& path, int file) {
  struct stat old {};
  if (::stat(path.c_str(), &old) != 0) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    (void)::fchmod(file, 0666 & ~mask);
    return;
  }
  const bool has_list = ::getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
  const bool is_kept = ::fchown(file, old.st_uid, old.st_gid) == 0 && !has_list;
  (void)::fchmod(file, old.st_mode & (is_kept ? 07777U : S_IRWXU));
}

Error ErrnoAt(const std::string& what) {
  return {ErrorCode::kInternal, fmt::format("{}: {}", what, std::strerror(errno))};
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

}  // namespace

std::string WithoutLinks(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel follows
  std::string end = path;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code is_none;
    const std::filesystem::path target = std::filesystem::read_symlink(end, is_none);
    if (is_none) return end;
    end = (std::filesystem::path(end).parent_path() / target).string();
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
    draft_ = path_ + std::string(kDraftSuffix);
    file_ = FileDescriptor(::mkostemp(draft_.data(), O_CLOEXEC));
    if (!file_) fault_ = ErrnoAt("cannot make a file beside " + path_);
  }
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
  GiveRights(path_, file_.get());
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
