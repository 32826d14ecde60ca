#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "core/units/http_url.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::http {

// Makes the folder of a file, 0755 whatever the process' umask, where it is missing.
[[nodiscard]] Result<void> MakeFolderOf(const std::string& path);

// A unix socket that listens; the file goes with it, unless somebody else has put another there.
class SocketFile {
 public:
  // Listens at `path` (absolute, 107 bytes at most) with mode 0660, owned by `group` (a name or a
  // number; empty: the process' own). The folder is made where it is missing (0755). What is left
  // of a process that is gone is replaced; kUnavailable where somebody still answers,
  // kInvalidArgument where something else than a socket is there.
  [[nodiscard]] static Result<SocketFile> Listen(const std::string& path, const std::string& group);
  SocketFile() = default;
  SocketFile(SocketFile&& other) noexcept
      : path_(std::exchange(other.path_, {})),
        inode_(other.inode_),
        descriptor_(std::move(other.descriptor_)) {}
  SocketFile& operator=(SocketFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(inode_, other.inode_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;
  ~SocketFile();

  // -1 where there is none.
  [[nodiscard]] int get() const { return descriptor_.get(); }
  // Whether its file is still at its path, where clients look for it.
  [[nodiscard]] bool IsThere() const;

 private:
  SocketFile(std::string path, ino_t inode, FileDescriptor descriptor)
      : path_(std::move(path)), inode_(inode), descriptor_(std::move(descriptor)) {}
  std::string path_;
  ino_t inode_ = 0;  // of the file
  FileDescriptor descriptor_;
};

// Listens on a TCP address; "::" is all addresses of the machine, of IPv4, too.
[[nodiscard]] Result<FileDescriptor> ListenOn(TcpAddress address);

// The port that a listening TCP socket has got.
[[nodiscard]] std::uint16_t PortOf(const FileDescriptor& socket);

}  // namespace jettison::http
