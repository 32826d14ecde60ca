#include "kernel/disk_usage/directory_stack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace jettison::disk_usage {

void DirectoryStack::Push(FileDescriptor directory, FileId id, std::uint64_t key) {
  frames_.push_back(Frame{.fd = std::move(directory),
                          .position = 0,
                          .id = id,
                          .key = key,
                          .exhausted = false,
                          .pending = {}});
  if (frames_.size() <= kOpenDirectories) return;
  Frame& far = frames_[frames_.size() - kOpenDirectories];  // never the top, which has index 0
  if (!far.fd) return;
  far.position = ::lseek(far.fd.get(), 0, SEEK_CUR);
  far.fd.Close();
}

bool DirectoryStack::Reopen(Frame& frame, int below) {
  FileDescriptor fd(::openat(below, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return false;
  if (frame.id != FileId{.device = status.st_dev, .inode = status.st_ino}) return false;
  if (frame.position < 0 || ::lseek(fd.get(), frame.position, SEEK_SET) < 0) return false;
  frame.fd = std::move(fd);
  return true;
}

bool DirectoryStack::Pop() {
  const Frame left = std::move(frames_.back());
  frames_.pop_back();
  if (frames_.empty() || frames_.back().fd) return true;
  if (Reopen(frames_.back(), left.fd.get())) return true;
  while (!frames_.back().fd) frames_.pop_back();  // ends at the top, which is always open
  return false;
}

std::string DirectoryStack::TakePending() {
  std::string& pending = frames_.back().pending;
  if (pending.empty()) return {};
  pending.pop_back();
  const auto before = pending.rfind('\0');
  const std::size_t start = before == std::string::npos ? 0 : before + 1;
  std::string name = pending.substr(start);
  pending.resize(start);
  return name;
}

}  // namespace jettison::disk_usage
