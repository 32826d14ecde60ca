// links: jettison_http
//
// An event stream as a client reads it from a server that sends what it likes. The first byte says
// in which pieces, the second how the answer begins. The client ends in time, and the events that
// it has read are the same in whichever pieces the bytes come.

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "platform/http/client.h"
#include "ports/file_descriptor.h"

namespace {

using namespace jettison;

constexpr int kPatienceMs = 5000;
constexpr std::size_t kMostBytes = 65536;

constexpr std::array<std::string_view, 4> kHeads = {
    "",
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 64\r\n\r\n",
};

class Listener {
 public:
  Listener() : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    std::string pattern = (std::filesystem::temp_directory_path() / "sse-fuzz-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    folder_ = pattern;
    const std::string path = folder_ + "/s";
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::memcpy(address.sun_path, path.data(), path.size());
    if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        ::listen(socket_.get(), 4) != 0) {
      std::abort();
    }
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  [[nodiscard]] std::string endpoint() const { return "unix://" + folder_ + "/s"; }

  // Takes one client in, reads its request, sends these pieces and closes.
  void ServeOne(const std::vector<std::string_view>& pieces) const {
    const FileDescriptor client(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    std::string request;
    std::array<char, 4096> part;
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t got = ::recv(client.get(), part.data(), part.size(), 0);
      if (got <= 0) return;
      request.append(part.data(), static_cast<std::size_t>(got));
    }
    for (const std::string_view piece : pieces) {
      if (::send(client.get(), piece.data(), piece.size(), MSG_NOSIGNAL) < 0) return;
    }
  }

 private:
  std::string folder_;
  FileDescriptor socket_;
};

std::vector<std::string_view> Pieces(std::string_view bytes, std::size_t step) {
  std::vector<std::string_view> pieces;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    pieces.push_back(bytes.substr(0, step));
  }
  return pieces;
}

// What a client makes of it: every event, or nothing where the answer is no stream.
std::vector<std::string> EventsRead(const Listener& listener, std::string_view bytes,
                                    std::size_t step) {
  const auto pieces = Pieces(bytes, step);
  std::thread server([&] { listener.ServeOne(pieces); });
  std::vector<std::string> events;
  const HttpTarget target{.endpoint = listener.endpoint(),
                          .timeout = std::chrono::milliseconds(kPatienceMs),
                          .max_response_bytes = kMostBytes};
  if (const auto stream = HttpEventStream::Open(target, "/watch")) {
    for (;;) {
      const auto read = (*stream)->Read();
      if (!read) break;
      for (const HttpEvent& event : *read) {
        if (event.data.size() > kMostBytes) std::abort();
        events.push_back(event.id + '\0' + event.type + '\0' + event.data);
      }
      pollfd readable{(*stream)->descriptor(), POLLIN, 0};
      const int ready = ::poll(&readable, 1, kPatienceMs);
      if (ready < 0 && errno == EINTR) continue;  // the fuzzer looks at the time
      if (ready != 1) std::abort();               // it waits for what does not come
    }
  }
  server.join();
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Listener listener;
  if (size < 2) return 0;
  std::string bytes(kHeads[data[1] % kHeads.size()]);
  bytes.append(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (bytes.size() > kMostBytes) return 0;
  auto whole = EventsRead(listener, bytes, bytes.size() + 1);
  auto pieces = EventsRead(listener, bytes, 1 + data[0] % 64);
  // Of a stream that breaks off, what has been read by then depends on the pieces.
  const std::size_t both = std::min(whole.size(), pieces.size());
  whole.resize(both);
  pieces.resize(both);
  if (whole != pieces) std::abort();
  return 0;
}
