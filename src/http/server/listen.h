#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "core/units/http_url.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::http {

// Listens at `path` (absolute, 107 bytes at most) with mode 0660, owned by `group` (a name or a
// number; empty: the process' own). The folder is made where it is missing (0755). What is left
// of a process that is gone is replaced; kUnavailable where somebody still answers,
// kInvalidArgument where something else than a socket is there. Whoever listens removes the socket
// in the end, unless it is another one by then.
[[nodiscard]] Result<FileDescriptor> ListenAt(const std::string& path, const std::string& group);

// Tells one file of a path from another one; 0: there is none.
[[nodiscard]] ino_t InodeOf(const std::string& path);

// Listens on a TCP address; "::" is all addresses of the machine, of IPv4, too.
[[nodiscard]] Result<FileDescriptor> ListenOn(TcpAddress address);

// The port that a listening TCP socket has got.
[[nodiscard]] std::uint16_t PortOf(const FileDescriptor& socket);

// The token of a file, its white space at both ends left out; one line. kInvalidArgument: it is
// empty, of several words, or longer than 4096 bytes. A file is short, and read for each request.
[[nodiscard]] Result<std::string> ReadToken(const std::string& path);

// Makes a token of random bytes in a file that only its owner, root, can read. A file that is there
// is replaced, and its folder (0755) is made where it is missing.
[[nodiscard]] Result<void> MakeOwnToken(const std::string& path);

}  // namespace jettison::http
