#include "http/server/listen.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <grp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/text/number.h"
#include "ports/system_error.h"

namespace jettison::http {
namespace {

constexpr int kBacklog = 128;
constexpr int kSocketFlags = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

// Of what stands under that name, a link itself; 0: nothing that could be looked at.
ino_t InodeOf(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

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
  if (address.is_v6) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr);
    std::memcpy(&storage, &v6, sizeof(v6));
    return sizeof(v6);
  }
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(address.port);
  inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr);
  std::memcpy(&storage, &v4, sizeof(v4));
  return sizeof(v4);
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

Result<void> MakeFolderOf(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (std::filesystem::create_directories(folder, error)) {
    std::filesystem::permissions(folder, std::filesystem::perms{0755}, error);
  }
  if (error) return Fail(SystemError(error.value(), "make the folder of " + path));
  return {};
}

OwnFile::OwnFile(std::string path) : path_(std::move(path)), inode_(InodeOf(path_)) {}

OwnFile::OwnFile(OwnFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), inode_(other.inode_) {}

OwnFile& OwnFile::operator=(OwnFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(inode_, other.inode_);
  return *this;
}

OwnFile::~OwnFile() {
  if (!path_.empty() && InodeOf(path_) == inode_) ::unlink(path_.c_str());
}

Result<ListeningSocket> ListenAt(const std::string& path, const std::string& group) {
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
  OwnFile file(path);
  if (auto owned = SetOwner(path, group); !owned) return Fail(owned.error());
  if (::listen(descriptor.get(), kBacklog) != 0) return FailErrno("listen at " + path);
  return ListeningSocket{std::move(descriptor), std::move(file)};
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

}  // namespace jettison::http
