#include "cli/simulate/input_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace jettison {

Result<std::unique_ptr<InputStream>> InputStream::Open(const std::string& path) {
  FileDescriptor descriptor(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                        : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!descriptor || ::fstat(descriptor.get(), &status) != 0) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode)) {
    return Fail(ErrorCode::kUnavailable, fmt::format("cannot open {}: it is a folder", path));
  }
  std::unique_ptr<InputStream> stream(new InputStream(std::move(descriptor)));
  if (S_ISREG(status.st_mode)) stream->size_ = static_cast<std::uint64_t>(status.st_size);
  cookie_io_functions_t functions{};
  functions.read = ReadCookie;
  stream->file_.reset(::fopencookie(stream.get(), "r", functions));
  if (!stream->file_) return Fail(ErrorCode::kInternal, fmt::format("cannot open {}", path));
  return stream;
}

ssize_t InputStream::ReadMore(char* into, std::size_t size) {
  ssize_t read = 0;
  do {
    read = ::read(descriptor_.get(), into, size);
  } while (read < 0 && errno == EINTR);
  ended_ |= read == 0;
  if (read <= 0) return read;
  bytes_ += static_cast<std::uint64_t>(read);
  return read;
}

ssize_t InputStream::Read(char* into, std::size_t size) {
  if (taken_ == head_.size()) return ReadMore(into, size);
  const std::size_t part = head_.copy(into, size, taken_);
  taken_ += part;
  return static_cast<ssize_t>(part);
}

ssize_t InputStream::ReadCookie(void* cookie, char* into, std::size_t size) {
  return static_cast<InputStream*>(cookie)->Read(into, size);
}

std::string_view InputStream::Head() {
  std::array<char, kHeadBytes> part;
  while (taken_ == 0 && head_.size() < kHeadBytes) {
    const ssize_t read = ReadMore(part.data(), kHeadBytes - head_.size());
    if (read <= 0) break;
    head_.append(part.data(), static_cast<std::size_t>(read));
  }
  return head_;
}

double InputStream::Progress() const {
  return size_ > 0 ? static_cast<double>(bytes_) / static_cast<double>(size_) : 0;
}

}  // namespace jettison
