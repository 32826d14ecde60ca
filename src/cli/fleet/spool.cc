#include "cli/fleet/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace jettison {
namespace {

std::string Folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder == nullptr || *folder == '\0' ? "/tmp" : folder;
}

bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return true;
}

tl::unexpected<Error> FailWithErrno(const std::string& what) {
  return Fail(ErrorCode::kInternal, fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Result<std::int64_t> Spool::Append(int input, const std::string& name) {
  const std::string folder = Folder();
  const std::string cannot_store = fmt::format("cannot store {} in {}", name, folder);
  if (!file_) {
    file_ = FileDescriptor(
        ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR));
  }
  if (!file_) return FailWithErrno(cannot_store);
  const std::int64_t begin = ::lseek(file_.get(), 0, SEEK_END);
  std::vector<char> piece(std::size_t{64} << 10);
  while (true) {
    const ssize_t read = ::read(input, piece.data(), piece.size());
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return FailWithErrno("cannot read " + name);
    if (read == 0) return begin;
    const std::string_view bytes(piece.data(), static_cast<std::size_t>(read));
    if (!WriteAll(file_.get(), bytes)) return FailWithErrno(cannot_store);
  }
}

FileDescriptor Spool::From(std::int64_t begin) const {
  FileDescriptor copy(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
  if (copy && ::lseek(copy.get(), begin, SEEK_SET) < 0) copy.Close();
  return copy;
}

}  // namespace jettison
