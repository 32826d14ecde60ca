#include "runtimes/process/runs/resident_program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>

#include "ports/file_descriptor.h"

namespace jettison::process {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;

// To touch a page of a file that has become shorter, or that the disk does not give, is SIGBUS;
// these calls return an error instead. The first (Linux 5.14) has the pages mapped where memory may
// not be locked: the kernel takes them later than pages that nobody has mapped.
void ReadIn(void* pages, std::size_t bytes) {
  (void)::madvise(pages, bytes, MADV_POPULATE_READ);
  (void)::mlock(pages, bytes);
}

}  // namespace

ResidentProgram::ResidentProgram(const std::string& path) {
  const FileDescriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));  // it may be a FIFO
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const std::size_t bytes = std::min(static_cast<std::size_t>(status.st_size), kMostBytes);
  if (bytes == 0) return;
  void* const pages = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (pages == MAP_FAILED) return;
  pages_ = pages;
  bytes_ = bytes;
  ReadIn(pages_, bytes_);
}

ResidentProgram::~ResidentProgram() {
  if (pages_ != nullptr) ::munmap(pages_, bytes_);
}

}  // namespace jettison::process
