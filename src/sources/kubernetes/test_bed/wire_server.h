#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "ports/file_descriptor.h"

namespace jettison::kube {

// A request as a WireServer got it.
struct WireRequest {
  std::string method;
  std::string path;                                       // without the query
  std::map<std::string, std::string, std::less<>> query;  // decoded
  std::string authorization;
  std::string body;
};

// One connection, to answer on as a test likes.
class WireConnection {
 public:
  explicit WireConnection(FileDescriptor socket) : socket_(std::move(socket)) {}
  // False once the other side has gone.
  bool Send(std::string_view bytes) const;
  // A whole answer. `extra`: further header lines, each with its end.
  bool Answer(int status, std::string_view body, std::string_view extra = {}) const;
  // A chunk of an answer that was begun as chunked.
  bool SendChunk(std::string_view bytes) const;
  // What ends the connection at once, for both sides; on any thread.
  void Cut() const;
  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  FileDescriptor socket_;
};

// HTTP/1.1 on a port of this machine, with a thread for each connection.
class WireServer {
 public:
  // Answers a request, on the thread of its connection. False: the connection ends.
  using Handler = std::function<bool(const WireRequest&, const WireConnection&)>;

  explicit WireServer(Handler handler) : handler_(std::move(handler)) {}
  WireServer(const WireServer&) = delete;
  WireServer& operator=(const WireServer&) = delete;
  ~WireServer() { Stop(); }

  // Listens, on the same port as before where it had one. False: somebody else has it.
  [[nodiscard]] bool Start();
  // Cuts every connection and listens no more. The port stays taken, so that nobody else answers
  // there.
  void Stop();
  [[nodiscard]] int port() const { return port_; }

 private:
  void Accept();
  void Serve(const WireConnection& connection);

  Handler handler_;
  int port_ = 0;
  FileDescriptor listening_;
  FileDescriptor kept_port_;  // bound, and listens to nobody, while the server is stopped
  std::atomic<bool> stopping_ = false;
  std::thread acceptor_;
  std::mutex mutex_;  // of the rest
  std::list<std::shared_ptr<WireConnection>> connections_;
  std::list<std::thread> threads_;
};

}  // namespace jettison::kube
