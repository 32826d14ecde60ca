#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "core/units/http_url.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::http {

// Makes the folder of a file, 0755 whatever the process' umask, where it is missing.
[[nodiscard]] Result<void> MakeFolderOf(const std::string& path);

// A file that was made for this process. It is removed with this, unless somebody else has put
// another in its place.
class OwnFile {
 public:
  OwnFile() = default;
  // What stands there now.
  explicit OwnFile(std::string path);
  OwnFile(OwnFile&& other) noexcept;
  OwnFile& operator=(OwnFile&& other) noexcept;
  ~OwnFile();

 private:
  std::string path_;  // empty: none
  ino_t inode_ = 0;
};

// A unix socket that listens.
struct ListeningSocket {
  FileDescriptor descriptor;
  OwnFile file;
};

// Listens at `path` (absolute, 107 bytes at most) with mode 0660, owned by `group` (a name or a
// number; empty: the process' own). The folder is made where it is missing (0755). What is left
// of a process that is gone is replaced; kUnavailable where somebody still answers,
// kInvalidArgument where something else than a socket is there.
[[nodiscard]] Result<ListeningSocket> ListenAt(const std::string& path, const std::string& group);

// Listens on a TCP address; "::" is all addresses of the machine, of IPv4, too.
[[nodiscard]] Result<FileDescriptor> ListenOn(TcpAddress address);

// The port that a listening TCP socket has got.
[[nodiscard]] std::uint16_t PortOf(const FileDescriptor& socket);

}  // namespace jettison::http
