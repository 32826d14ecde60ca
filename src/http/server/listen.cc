#include "http/server/listen.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <grp.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "core/text/number.h"
#include "core/text/parts.h"
#include "http/tls_files.h"
#include "ports/system_error.h"

namespace jettison::http {
namespace {

constexpr int kBacklog = 128;
constexpr std::size_t kRandomBytes = 32;     // of a token
constexpr std::size_t kLongestToken = 4096;  // white space around it included
constexpr int kSocketFlags = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

std::optional<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.size() >= sizeof(address.sun_path)) return std::nullopt;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Result<gid_t> GroupOf(const std::string& group) {
  if (const auto id = ParseNumber<gid_t>(group)) return *id;
  std::array<char, 16384> buffer{};
  ::group entry{};
  ::group* found = nullptr;
  ::getgrnam_r(group.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found != nullptr) return found->gr_gid;
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("there is no group named {}; make it with: groupadd --system {}", group, group));
}

// Makes the folder of a file, 0755 whatever the process' umask, where it is missing.
Result<void> MakeFolderOf(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (std::filesystem::create_directories(folder, error)) {
    std::filesystem::permissions(folder, std::filesystem::perms{0755}, error);
  }
  if (error) return Fail(SystemError(error.value(), "make the folder of " + path));
  return {};
}

// Whether somebody listens at the socket.
bool IsAnswered(const sockaddr_un& address) {
  const FileDescriptor probe(::socket(AF_UNIX, kSocketFlags, 0));
  if (!probe) return true;
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return true;
  }
  return errno != ECONNREFUSED && errno != ENOENT;
}

Result<void> RemoveStale(const std::string& path, const sockaddr_un& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return FailErrno("look at " + path);
  }
  if (!S_ISSOCK(status.st_mode)) {
    return Fail(ErrorCode::kInvalidArgument,
                path + " exists and is not a socket; remove it or choose another path");
  }
  if (IsAnswered(address)) {
    return Fail(
        ErrorCode::kUnavailable,
        path +
            " is in use by another process, perhaps another agent; stop it or choose another path");
  }
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return FailErrno("remove stale " + path);
  return {};
}

Result<void> SetOwner(const std::string& path, const std::string& group) {
  if (!group.empty()) {
    const auto id = GroupOf(group);
    if (!id) return Fail(id.error());
    if (::lchown(path.c_str(), static_cast<uid_t>(-1), *id) != 0) {
      return FailErrno(fmt::format("give {} to group {}", path, group));
    }
  }
  // The file cannot be a link: bind made it.
  if (::chmod(path.c_str(), 0660) != 0) return FailErrno("set the mode of " + path);
  return {};
}

socklen_t Fill(const TcpAddress& address, sockaddr_storage& storage) {
  auto& v6 = reinterpret_cast<sockaddr_in6&>(storage);
  auto& v4 = reinterpret_cast<sockaddr_in&>(storage);
  storage.ss_family = address.is_v6 ? AF_INET6 : AF_INET;
  v4.sin_port = htons(address.port);  // that of IPv6 is at the same place
  void* const host = address.is_v6 ? static_cast<void*>(&v6.sin6_addr) : &v4.sin_addr;
  inet_pton(storage.ss_family, address.host.c_str(), host);
  return address.is_v6 ? sizeof(v6) : sizeof(v4);
}

// "::" is all addresses of the machine: over IPv4, too, whatever net.ipv6.bindv6only says, and over
// IPv4 alone where the kernel has no IPv6. `address` becomes what the socket can be bound to.
FileDescriptor OpenSocket(TcpAddress& address) {
  const bool is_all = address.is_v6 && address.host == "::";
  FileDescriptor socket(::socket(address.is_v6 ? AF_INET6 : AF_INET, kSocketFlags, 0));
  if (is_all && !socket && errno == EAFNOSUPPORT) {
    address = {.host = "0.0.0.0", .port = address.port};
    return OpenSocket(address);
  }
  const int off = 0;
  if (is_all) ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  return socket;
}

}  // namespace

ino_t InodeOf(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

Result<FileDescriptor> ListenAt(const std::string& path, const std::string& group) {
  const auto address = AddressOf(path);
  if (!address) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is too long for a socket: {} bytes at most", path,
                            sizeof(address->sun_path) - 1));
  }
  if (auto made = MakeFolderOf(path); !made) return Fail(made.error());
  if (auto removed = RemoveStale(path, *address); !removed) return Fail(removed.error());

  FileDescriptor descriptor(::socket(AF_UNIX, kSocketFlags, 0));
  if (!descriptor) return FailErrno("make a socket");
  // Nobody may connect before the mode is set: nobody listens yet.
  if (::bind(descriptor.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof(*address)) !=
      0) {
    return FailErrno("make the socket " + path);
  }
  auto ready = SetOwner(path, group);
  if (ready && ::listen(descriptor.get(), kBacklog) != 0) ready = FailErrno("listen at " + path);
  if (ready) return descriptor;
  ::unlink(path.c_str());
  return Fail(ready.error());
}

Result<FileDescriptor> ListenOn(TcpAddress address) {
  const std::string shown =
      fmt::format(fmt::runtime(address.is_v6 ? "[{}]:{}" : "{}:{}"), address.host, address.port);
  FileDescriptor socket = OpenSocket(address);
  if (!socket) return FailErrno("make a socket for " + shown);
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_storage storage{};
  const socklen_t size = Fill(address, storage);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&storage), size) != 0) {
    return FailErrno("take the address " + shown);
  }
  if (::listen(socket.get(), kBacklog) != 0) return FailErrno("listen on " + shown);
  return socket;
}

std::uint16_t PortOf(const FileDescriptor& socket) {
  sockaddr_in6 address{};  // that of IPv4 has its port at the same place
  socklen_t size = sizeof(address);
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.sin6_port);
}

Result<std::string> ReadToken(const std::string& path) {
  const auto text = ReadSmallFile(path, kLongestToken);
  if (!text) return Fail(text.error().In("the token"));
  const std::string_view token = Trimmed(*text);
  const auto printable = [](char c) { return c > ' ' && c < '\x7f'; };
  if (token.empty() || !std::ranges::all_of(token, printable)) {
    return Fail(ErrorCode::kInvalidArgument,
                path + " must hold one token, without spaces; make one with: openssl rand -hex 32");
  }
  return std::string(token);
}

Result<void> MakeOwnToken(const std::string& path) {
  const auto fail = [](const Error& error) {
    return Fail(error.In("make a token for TCP (bearerTokenFile names one of your own)"));
  };
  if (auto folder = MakeFolderOf(path); !folder) return fail(folder.error());
  std::array<unsigned char, kRandomBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return fail(SystemError(errno, "get random bytes"));
  }
  const std::string made = path + ".new";
  ::unlink(made.c_str());
  // It is readable by its owner alone from its first moment on.
  const FileDescriptor file(
      ::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const std::string text = fmt::format("{:02x}\n", fmt::join(bytes, ""));
  if (file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::rename(made.c_str(), path.c_str()) == 0) {
    return {};
  }
  const int why = errno;
  ::unlink(made.c_str());
  return fail(SystemError(why, "write " + path));
}

}  // namespace jettison::http
