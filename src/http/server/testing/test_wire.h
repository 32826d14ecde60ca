#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>

#include "ports/file_descriptor.h"

namespace jettison::http {

// One connection on which a test says what it likes, HTTP or not.
class Wire {
 public:
  explicit Wire(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof(address.sun_path) - 1));
    Connect(&address, sizeof(address));
  }
  explicit Wire(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Connect(&address, sizeof(address));
  }

  [[nodiscard]] bool is_connected() const { return is_connected_; }
  [[nodiscard]] int get() const { return socket_.get(); }
  // False once the other side has closed.
  bool Send(std::string_view bytes) const {
    return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  // Ends what this side says; it still listens.
  void EndSending() const { ::shutdown(socket_.get(), SHUT_WR); }
  void Close() { socket_.Close(); }

  // What came until `text` did, the other side closed, or the time was over.
  std::string ReadUntil(std::string_view text,
                        std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (text.empty() || read_.find(text) == std::string::npos) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      pollfd waiting{socket_.get(), POLLIN, 0};
      if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) break;
      std::array<char, 65536> buffer;
      const ssize_t size = ::read(socket_.get(), buffer.data(), buffer.size());
      is_closed_ = size <= 0;
      if (is_closed_) break;
      read_.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return std::exchange(read_, {});
  }
  // All of it, until the other side closed.
  std::string ReadAll(std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    return ReadUntil("", limit);
  }
  // Whether the other side has closed, as far as was read.
  [[nodiscard]] bool is_closed() const { return is_closed_; }

 private:
  template <typename Address>
  void Connect(const Address* address, socklen_t size) {
    is_connected_ = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(address), size) == 0;
  }
  FileDescriptor socket_;
  bool is_connected_ = false;
  bool is_closed_ = false;
  std::string read_;
};

// A request that ends its connection.
inline std::string Ask(std::string_view path, std::string_view method = "GET") {
  return std::string(method) + " " + std::string(path) +
         " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
}

}  // namespace jettison::http
