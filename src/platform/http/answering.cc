// The half of HttpServer::Core that answers; core.cc has the loop.

#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "platform/http/answer.h"
#include "platform/http/core.h"

namespace jettison {

using http::Connection;
using http::Connections;
using http::Phase;
using std::chrono::steady_clock;

namespace {

// What a stream fills of libmicrohttpd's buffer at once, at most.
constexpr std::size_t kStreamBlock = 16384;

}  // namespace

// A stream on its way to one client.
struct HttpServer::Core::Reader {
  Core* core;
  Connection* connection;
  HttpStream next;
  std::string chunk;      // what is going out
  std::size_t given = 0;  // bytes of it that are on their way
};

void HttpServer::Core::OnTarget(Connection& connection, const char* target) {
  connections_.RequestBegan(connection, steady_clock::now());
  connection.exchange = {.target = target};
}

bool HttpServer::Core::OnRequest(Connection& connection, MHD_Connection* handle, const char* path,
                                 const char* method, const char* version, std::string_view bytes) {
  const http::Head head{handle, path, method, version};
  if (!std::exchange(connection.exchange.has_begun, true)) return Begin(head, connection);
  if (bytes.empty()) return Answer(head, connection);
  std::string& body = connection.exchange.body;
  // Content-Length has been looked at, so this cannot be, but what it guards is memory.
  if (bytes.size() > parts_.limits.body_bytes - body.size()) return false;
  body.append(bytes);
  return true;
}

bool HttpServer::Core::Begin(const http::Head& head, Connection& connection) {
  if (const auto refusal = parts_.access.RefusalOf(head.handle, connection)) {
    return Refuse(head.handle, connection, *refusal);
  }
  if (const auto refusal = http::RefusalOf(head, connection.exchange, parts_.limits)) {
    return Refuse(head.handle, connection, *refusal);
  }
  return true;
}

bool HttpServer::Core::Answer(const http::Head& head, Connection& connection) {
  HttpResponse response;
  try {
    response = parts_.handler(http::RequestOf(head, std::move(connection.exchange), connection));
  } catch (const std::exception& e) {
    return Refuse(head.handle, connection, {500, e.what(), {}});
  }
  if (!response.stream) return Queue(head.handle, connection, std::move(response));
  if (head.method == "HEAD") {
    response.stream = nullptr;
    return Queue(head.handle, connection, std::move(response));
  }
  if (connections_.streams() >= parts_.limits.streams) {
    return Refuse(head.handle, connection,
                  {503,
                   fmt::format("there are {} streams already, which is the limit; try again later",
                               parts_.limits.streams),
                   {"Retry-After", "10"}});
  }
  return QueueStream(head.handle, connection, std::move(response));
}

bool HttpServer::Core::Refuse(MHD_Connection* handle, Connection& connection,
                              const http::Refusal& refusal) {
  HttpResponse response = parts_.error_answer(refusal.status, refusal.message);
  response.status = refusal.status;
  response.stream = nullptr;
  if (!refusal.header.first.empty()) response.headers.push_back(refusal.header);
  return Queue(handle, connection, std::move(response));
}

bool HttpServer::Core::Queue(MHD_Connection* handle, Connection& connection,
                             HttpResponse response) {
  connections_.Answering(connection, steady_clock::now());
  const auto status = static_cast<unsigned>(response.status);
  const http::Answer answer = http::AnswerOf(std::move(response));
  return answer && MHD_queue_response(handle, status, answer.get()) == MHD_YES;
}

bool HttpServer::Core::QueueStream(MHD_Connection* handle, Connection& connection,
                                   HttpResponse response) {
  auto reader = std::make_unique<Reader>(
      Reader{.core = this, .connection = &connection, .next = std::move(response.stream)});
  const http::Answer answer(
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kStreamBlock, &Read, reader.get(),
                                        [](void* done) { delete static_cast<Reader*>(done); }));
  if (!answer) return false;
  (void)reader.release();  // the answer frees it
  http::AddHeaders(answer.get(), response);
  connections_.Answering(connection, steady_clock::now());
  connection.has_stream = true;
  connection.handle = handle;
  // To hear of the client's going while the stream is suspended.
  if (!Watch(connection.descriptor, EPOLLRDHUP | EPOLLONESHOT)) return false;
  return MHD_queue_response(handle, static_cast<unsigned>(response.status), answer.get()) ==
         MHD_YES;
}

ssize_t HttpServer::Core::Read(void* reader_pointer, std::uint64_t /*position*/, char* buffer,
                               std::size_t size) {
  auto* reader = static_cast<Reader*>(reader_pointer);
  Connection& connection = *reader->connection;
  // Not as an error: libmicrohttpd 0.9.75 forgets to clear away some connections that end so. It
  // will find the socket shut when it sends the end.
  if (connection.is_cut) return MHD_CONTENT_READER_END_OF_STREAM;
  if (reader->given == reader->chunk.size()) {
    auto chunk = reader->next();
    if (!chunk) return MHD_CONTENT_READER_END_OF_STREAM;
    reader->chunk = std::move(*chunk);
    reader->given = 0;
    if (reader->chunk.empty()) {
      Connections::Waiting(connection);
      ++reader->core->waiting_streams_;
      MHD_suspend_connection(connection.handle);
      return 0;
    }
    reader->core->connections_.Answering(connection, steady_clock::now());
  }
  const std::size_t part = std::min(size, reader->chunk.size() - reader->given);
  std::memcpy(buffer, reader->chunk.data() + reader->given, part);
  reader->given += part;
  return static_cast<ssize_t>(part);
}

void HttpServer::Core::ResumeStreams() {
  for (Connection* connection : connections_.All()) {
    if (connection->phase != Phase::kWaiting) continue;
    connections_.Answering(*connection, steady_clock::now());
    --waiting_streams_;
    MHD_resume_connection(connection->handle);
  }
}

void HttpServer::Core::OnAnswered(Connection& connection) {
  if (connection.has_stream) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, connection.descriptor, nullptr);
  }
  connections_.Answered(connection, steady_clock::now());
}

void HttpServer::Core::OnClosed(Connection& connection) {
  connections_.Remove(connection.descriptor);
}

}  // namespace jettison
