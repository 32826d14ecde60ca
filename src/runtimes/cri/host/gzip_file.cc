#include "runtimes/cri/host/gzip_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>

#include "ports/file_descriptor.h"

namespace jettison::cri {
namespace {

// zlib asks for some 268 KiB (zconf.h: (1 << (windowBits+2)) + (1 << (memLevel+9))). Pages that are
// never touched cost nothing.
alignas(std::max_align_t) std::array<unsigned char, std::size_t{512} << 10> workspace;
std::array<unsigned char, std::size_t{64} << 10> input;
std::array<unsigned char, std::size_t{64} << 10> output;

// Hands out the workspace piece by piece.
void* Allocate(void* used, unsigned count, unsigned size) {
  constexpr std::size_t kAlignment = alignof(std::max_align_t);
  auto& begin = *static_cast<std::size_t*>(used);
  const std::size_t bytes = std::size_t{count} * size;
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (rounded > workspace.size() - begin) return nullptr;
  void* const piece = workspace.data() + begin;
  begin += rounded;
  return piece;
}

void Free(void*, void*) {}

int WriteAll(int fd, std::size_t size) {
  for (std::size_t at = 0; at < size;) {
    const ssize_t written = ::write(fd, output.data() + at, size - at);
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) at += static_cast<std::size_t>(written);
  }
  return 0;
}

// Compresses the present input, which may be the last part.
int Compress(z_stream& stream, int to, bool last) {
  do {
    stream.next_out = output.data();
    stream.avail_out = static_cast<uInt>(output.size());
    if (::deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR) return EIO;
    if (const int error = WriteAll(to, output.size() - stream.avail_out); error != 0) return error;
  } while (stream.avail_out == 0);
  return 0;
}

int Copy(int from, int to) {
  constexpr int kGzipFormat = 16;
  constexpr int kUsualMemory = 8;
  std::size_t used = 0;
  z_stream stream{};
  stream.zalloc = Allocate;
  stream.zfree = Free;
  stream.opaque = &used;
  if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipFormat + MAX_WBITS,
                     kUsualMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    return ENOMEM;
  }
  for (;;) {
    const ssize_t size = ::read(from, input.data(), input.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno;
    stream.next_in = input.data();
    stream.avail_in = static_cast<uInt>(size);
    const int error = Compress(stream, to, size == 0);
    if (error != 0 || size == 0) return error;
  }
}

}  // namespace

int GzipFile(const char* from, const char* temporary, const char* to) {
  const FileDescriptor source(::open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!source) return errno;
  struct stat facts {};
  if (::fstat(source.get(), &facts) != 0) return errno;
  (void)::unlink(temporary);
  const FileDescriptor copy(
      ::open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, facts.st_mode & 0777U));
  if (!copy) return errno;
  int error = Copy(source.get(), copy.get());
  if (error == 0 && ::rename(temporary, to) != 0) error = errno;
  if (error != 0) {
    (void)::unlink(temporary);
    return error;
  }
  return ::unlink(from) == 0 || errno == ENOENT ? 0 : errno;
}

}  // namespace jettison::cri
