// links: jettison_api
//
// The HTTP server with everything that it answers, as clients meet it: bytes at a socket. The first
// byte says in which pieces they come, the second what the client does then. However wrong they
// are, the connection ends in time, what comes back is HTTP, and the next client is answered.

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "api/api.h"
#include "api/kubernetes/objects.h"
#include "fuzz/fuzz.h"
#include "http/server/server.h"
#include "machine/loop/steady_clock.h"
#include "ports/file_descriptor.h"
#include "tests/synthetic_snapshot.h"

namespace {

using namespace jettison;

constexpr int kPatienceMs = 5000;  // more than any limit below

class Server {
 public:
  Server()
      : api_(
            {.board = board_, .now = [this] { return clock_.Now(); }, .started_at = clock_.Now()}) {
    std::string pattern = (std::filesystem::temp_directory_path() / "http-fuzz-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    folder_ = pattern;
    constexpr auto kShort = std::chrono::milliseconds(500);
    server_ = std::make_unique<HttpServer>(
        HttpConfig{.socket = socket()},
        [this](const HttpRequest& request) { return api_.Answer(request); },
        [](int status, std::string_view message) { return StatusAnswer(status, message); },
        HttpLimits{.connections = 8, .request = kShort, .answer = kShort, .idle = kShort});
    if (!server_->Listen()) std::abort();
    thread_ = std::thread([this] { server_->Serve(); });
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    server_->Stop();
    thread_.join();
    server_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  [[nodiscard]] std::string socket() const { return folder_ + "/s"; }
  // So that nobody waits for an agent, which is not there.
  void Refresh() { board_.Put(snapshot_); }

 private:
  SteadyClock clock_;
  Board board_;
  Api api_;
  std::shared_ptr<const Snapshot> snapshot_ =
      std::make_shared<const Snapshot>(SyntheticSnapshot(3));
  std::string folder_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

FileDescriptor Connect(const std::string& path) {
  FileDescriptor client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof(address.sun_path) - 1));
  if (::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    std::abort();
  }
  return client;
}

void Send(const FileDescriptor& client, std::string_view bytes, std::size_t step) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    const std::string_view piece = bytes.substr(0, step);
    if (::send(client.get(), piece.data(), piece.size(), MSG_NOSIGNAL) < 0)
      return;  // it has closed
  }
}

// All that comes until the server closes.
std::string ReadAll(const FileDescriptor& client) {
  std::string answer;
  std::array<char, 16384> part;
  for (;;) {
    pollfd readable{client.get(), POLLIN, 0};
    const int ready = ::poll(&readable, 1, kPatienceMs);
    if (ready < 0 && errno == EINTR) continue;  // the fuzzer looks at the time
    if (ready != 1) std::abort();               // it hangs
    const ssize_t got = ::recv(client.get(), part.data(), part.size(), 0);
    if (got <= 0) return answer;
    answer.append(part.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

void Fuzz(std::string_view text) {
  static Server server;
  static unsigned runs = 0;
  if (text.size() < 2) return;
  const auto pieces = static_cast<unsigned char>(text[0]);
  const std::size_t step = pieces < 128 ? text.size() : 1 + pieces % 32;
  const std::string_view bytes = text.substr(2);
  server.Refresh();
  {
    const FileDescriptor client = Connect(server.socket());
    Send(client, bytes, step);
    if (static_cast<unsigned char>(text[1]) % 8 != 0) {  // the others are gone without a word
      ::shutdown(client.get(), SHUT_WR);
      const std::string answer = ReadAll(client);
      if (!answer.empty() && !answer.starts_with("HTTP/1.")) std::abort();
    }
  }
  if (++runs % 32 != 0) return;
  const FileDescriptor good = Connect(server.socket());
  Send(good, "GET /pods HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", 4096);
  if (!ReadAll(good).starts_with("HTTP/1.1 200")) std::abort();
}
