#include "http/transfers/memory_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "ports/system_error.h"

namespace jettison::http {

MemoryFile::MemoryFile(FileDescriptor file)
    : file_(std::move(file)), path_(fmt::format("/proc/self/fd/{}", file_.get())) {}

Result<MemoryFile> MemoryFile::Make(std::string_view text) {
  FileDescriptor file(::memfd_create("jettison", MFD_CLOEXEC));
  if (!file) return FailErrno("keep a certificate in memory");
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written <= 0) return FailErrno("keep a certificate in memory");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return MemoryFile(std::move(file));
}

}  // namespace jettison::http
