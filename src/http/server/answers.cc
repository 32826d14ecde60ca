
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "http/server/server.h"

namespace jettison {

using http::Exchange;
using http::Head;
using http::Refusal;
using std::chrono::steady_clock;

namespace {

// What a stream fills of libmicrohttpd's buffer at once, at most.
constexpr std::size_t kStreamBlock = 16384;
// What an answer takes besides its body: headers, and the answer itself.
constexpr std::size_t kAnswerBytes = 1024;

struct DestroyResponse {
  void operator()(MHD_Response* response) const { MHD_destroy_response(response); }
};
// An answer of libmicrohttpd; connections that send it hold it, too.
using Answered = std::unique_ptr<MHD_Response, DestroyResponse>;

// Adds the headers that `response` asks for, and those of every answer: content is what its type
// says, and nobody keeps it. One that is no header (a line break in it) is left out.
void AddHeaders(MHD_Response* answer, const HttpResponse& response) {
  MHD_add_response_header(answer, "Content-Type", response.content_type.c_str());
  MHD_add_response_header(answer, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(answer, "Cache-Control", "no-store");
  for (const auto& [name, value] : response.headers) {
    MHD_add_response_header(answer, name.c_str(), value.c_str());
  }
}

// The answer without its stream; the share goes when it does. Null where there is no memory.
Answered AnswerOf(HttpResponse response, std::shared_ptr<void> share) {
  using Body = std::pair<std::string, std::shared_ptr<void>>;
  auto body = std::make_unique<Body>(std::move(response.body), std::move(share));
  Answered answer(MHD_create_response_from_buffer_with_free_callback_cls(
      body->first.size(), body->first.data(), [](void* sent) { delete static_cast<Body*>(sent); },
      body.get()));
  if (!answer) return nullptr;
  (void)body.release();  // the answer frees it
  AddHeaders(answer.get(), response);
  return answer;
}

// Whether the client has gone: a daemon does not look at a connection that is suspended.
bool HasGone(int socket) {
  pollfd watched{.fd = socket, .events = POLLRDHUP, .revents = 0};
  return ::poll(&watched, 1, 0) > 0;
}

// Beyond a limit of all clients together.
Refusal Busy(std::string message, int seconds = 1) {
  return {503, std::move(message) + "; try again soon", {"Retry-After", std::to_string(seconds)}};
}

}  // namespace

struct HttpServer::Stream {
  HttpServer& server;
  MHD_Connection* handle;
  Connection& connection;
  std::shared_ptr<void> place;  // among the streams that there may be
  HttpStream next;
  bool is_resumed;                // by its client, where it ends early
  std::shared_ptr<void> share{};  // of the memory for answers
  std::string chunk{};            // what is going out
  std::size_t given = 0;          // bytes of it that are on their way

  // Ends a stream that is not complete. Not as an error: libmicrohttpd 0.9.75 forgets to clear away
  // some connections that end so. It will find the socket shut when it sends the end, which the
  // client therefore does not get.
  [[nodiscard]] ssize_t Break() const {
    connection.is_cut = true;
    ::shutdown(connection.descriptor, SHUT_RDWR);
    return MHD_CONTENT_READER_END_OF_STREAM;
  }
};

void HttpServer::OnConnection(void* self, MHD_Connection* handle, void** place,
                              MHD_ConnectionNotificationCode what) {
  auto& server = *static_cast<HttpServer*>(self);
  if (what != MHD_CONNECTION_NOTIFY_STARTED) {
    server.connections_.erase(static_cast<Connection*>(std::exchange(*place, nullptr))->descriptor);
    return;
  }
  const int socket = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
  int domain = AF_UNSPEC;
  socklen_t size = sizeof(domain);
  ::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size);
  const auto now = steady_clock::now();
  server.MakeRoom();
  Connection& connection = server.connections_[socket];
  connection = {.descriptor = socket,
                .is_unix = domain == AF_UNIX,
                .since = now,
                .deadline = now + server.limits_.request};
  *place = &connection;
}

HttpServer::Connection& HttpServer::ConnectionOf(MHD_Connection* handle) {
  return *static_cast<Connection*>(
      MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
}

// First the head of a request comes; then each part of its body; then that all of it is there (no
// bytes). An answer may be queued at the first and at the last call.
MHD_Result HttpServer::OnRequest(void* self, MHD_Connection* handle, const char* path,
                                 const char* method, const char* version, const char* bytes,
                                 std::size_t* size, void** seen) {
  Connection& connection = ConnectionOf(handle);
  auto& server = *static_cast<HttpServer*>(self);
  Exchange& exchange = connection.exchange;
  const std::size_t come = std::exchange(*size, 0);
  bool goes_on = true;
  if (std::exchange(*seen, &connection) == nullptr) {
    goes_on = server.Begin({handle, path, method, version}, connection);
  } else if (come == 0) {
    goes_on = server.Answer({handle, path, method, version}, connection);
  } else if (come > exchange.length - exchange.body.size()) {
    goes_on = false;  // Content-Length bounds it, so this cannot be, but what it guards is memory
  } else {
    if (exchange.body.empty()) exchange.body.reserve(exchange.length);
    exchange.body.append(bytes, come);
  }
  return goes_on ? MHD_YES : MHD_NO;
}

// The answer is out, or the connection broke meanwhile.
void HttpServer::OnAnswered(void* self, MHD_Connection* handle, void** /*seen*/,
                            MHD_RequestTerminationCode /*why*/) {
  Connection& connection = ConnectionOf(handle);
  connection.is_answering = false;
  connection.exchange = {};
  connection.since = steady_clock::now();
  connection.deadline = connection.since + static_cast<HttpServer*>(self)->limits_.idle;
}

bool HttpServer::Begin(const Head& head, Connection& connection) {
  Exchange& exchange = connection.exchange;
  connection.deadline = steady_clock::now() + limits_.request;
  auto refusal = access_.RefusalOf(head.handle, connection.is_unix);
  if (!refusal) refusal = http::RefusalOf(head, limits_, exchange.length);
  if (!refusal && Open() > limits_.connections) {
    refusal = Busy(
        fmt::format("there are {} connections already, which is the limit", limits_.connections));
  }
  if (refusal) return Refuse(head.handle, connection, *refusal);
  exchange.share = held_.Take(exchange.length);
  if (exchange.share) return true;
  return Refuse(head.handle, connection, Busy("other requests leave too little memory for this"));
}

bool HttpServer::Answer(const Head& head, Connection& connection) {
  HttpResponse response;
  try {
    response = handler_(http::RequestOf(head, std::exchange(connection.exchange.body, {})));
  } catch (const std::exception& e) {
    return Refuse(head.handle, connection, {500, e.what(), {}});
  }
  connection.exchange.share.reset();
  if (head.method == "HEAD") response.stream = nullptr;
  if (response.stream) return SendStream(head.handle, connection, std::move(response));
  auto share = held_.Take(response.body.capacity() + kAnswerBytes);
  if (share) return Queue(head.handle, connection, std::move(response), std::move(share));
  return Refuse(head.handle, connection,
                Busy(fmt::format("the answer has {} bytes, and other requests leave {} of {}",
                                 response.body.size(), held_.left(), limits_.held_bytes)));
}

bool HttpServer::SendStream(MHD_Connection* handle, Connection& connection, HttpResponse response) {
  auto place = streams_.Take(1);
  if (!place) {
    return Refuse(
        handle, connection,
        Busy(fmt::format("there are {} streams already, which is the limit", limits_.streams), 10));
  }
  // Clients of event streams come back with the last ID that they have.
  const bool is_resumed = response.content_type.starts_with("text/event-stream");
  auto stream = std::make_unique<Stream>(Stream{.server = *this,
                                                .handle = handle,
                                                .connection = connection,
                                                .place = std::move(place),
                                                .next = std::move(response.stream),
                                                .is_resumed = is_resumed});
  const Answered answer(
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kStreamBlock, &ReadStream, stream.get(),
                                        [](void* done) { delete static_cast<Stream*>(done); }));
  if (!answer) return false;
  (void)stream.release();  // the answer frees it
  AddHeaders(answer.get(), response);
  Answering(connection);
  return MHD_queue_response(handle, static_cast<unsigned>(response.status), answer.get()) ==
         MHD_YES;
}

bool HttpServer::Refuse(MHD_Connection* handle, Connection& connection, const Refusal& refusal) {
  HttpResponse response = error_answer_(refusal.status, refusal.message);
  response.status = refusal.status;
  response.stream = nullptr;
  if (!refusal.header.first.empty()) response.headers.push_back(refusal.header);
  return Queue(handle, connection, std::move(response), nullptr);
}

bool HttpServer::Queue(MHD_Connection* handle, Connection& connection, HttpResponse response,
                       std::shared_ptr<void> share) {
  Answering(connection);
  const auto status = static_cast<unsigned>(response.status);
  const Answered answer = AnswerOf(std::move(response), std::move(share));
  return answer && MHD_queue_response(handle, status, answer.get()) == MHD_YES;
}

// The next bytes of a stream, or that there are none now, or never again.
ssize_t HttpServer::ReadStream(void* self, std::uint64_t /*position*/, char* buffer,
                               std::size_t size) {
  Stream& stream = *static_cast<Stream*>(self);
  Connection& connection = stream.connection;
  if (connection.is_cut) return stream.Break();
  if (stream.given == stream.chunk.size()) {
    // What has gone out is let go of first, with its memory.
    std::string().swap(stream.chunk);
    stream.share.reset();
    stream.given = 0;
    auto chunk = stream.next();
    if (!chunk) return stream.Break();
    if (!*chunk) return MHD_CONTENT_READER_END_OF_STREAM;
    stream.share = stream.server.held_.Take((*chunk)->capacity());
    if (!stream.share) {
      return stream.is_resumed ? MHD_CONTENT_READER_END_OF_STREAM : stream.Break();
    }
    stream.chunk = **std::move(chunk);
    if (stream.chunk.empty()) {
      if (HasGone(connection.descriptor)) return stream.Break();
      connection.suspended = stream.handle;
      MHD_suspend_connection(stream.handle);
      return 0;
    }
    stream.server.Answering(connection);
  }
  const std::size_t part = std::min(size, stream.chunk.size() - stream.given);
  std::copy_n(stream.chunk.data() + stream.given, part, buffer);
  stream.given += part;
  return static_cast<ssize_t>(part);
}

void HttpServer::Resume(Connection& connection) const {
  if (connection.suspended == nullptr) return;
  Answering(connection);
  MHD_resume_connection(std::exchange(connection.suspended, nullptr));
}

void HttpServer::Answering(Connection& connection) const {
  connection.is_answering = true;
  connection.deadline = steady_clock::now() + limits_.answer;
}

}  // namespace jettison
