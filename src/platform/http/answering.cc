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
  http::Share share;      // of the chunk
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
  if (body.empty()) body.reserve(connection.exchange.length);
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
  http::Exchange& exchange = connection.exchange;
  exchange.length = http::BodyBytes(head);
  exchange.share = http::Share(bodies_);
  if (exchange.share.Resize(exchange.length)) return true;
  return RefuseForRoom(head.handle, connection,
                       "the bodies of other requests leave no room for this one");
}

bool HttpServer::Core::Answer(const http::Head& head, Connection& connection) {
  HttpResponse response;
  {
    std::string body = std::move(connection.exchange.body);
    const http::Share of_body = std::move(connection.exchange.share);
    http::Share share(held_);
    if (!body.empty() && !share.Resize(parts_.limits.handler_bytes)) {
      return RefuseForRoom(head.handle, connection,
                           "what is under way for others leaves no room to read a body");
    }
    try {
      response = parts_.handler(http::RequestOf(head, std::move(body), connection));
    } catch (const std::exception& e) {
      return Refuse(head.handle, connection, {500, e.what(), {}});
    }
  }
  if (!response.stream) return Offer(head.handle, connection, std::move(response));
  if (head.method == "HEAD") {
    response.stream = nullptr;
    return Offer(head.handle, connection, std::move(response));
  }
  if (held_.left() < kStreamBlock) {
    return RefuseForRoom(head.handle, connection,
                         "what is under way for others leaves no room for a stream");
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
  // A sentence; there are no more of them than connections.
  http::Share share(held_);
  share.Count(http::BytesOf(response));
  return Queue(handle, connection, std::move(response), std::move(share));
}

bool HttpServer::Core::RefuseForRoom(MHD_Connection* handle, Connection& connection,
                                     std::string message) {
  return Refuse(handle, connection,
                {503, std::move(message) + "; try again soon", {"Retry-After", "1"}});
}

bool HttpServer::Core::Offer(MHD_Connection* handle, Connection& connection,
                             HttpResponse response) {
  http::Share share(held_);
  if (share.Resize(http::BytesOf(response))) {
    return Queue(handle, connection, std::move(response), std::move(share));
  }
  return RefuseForRoom(
      handle, connection,
      fmt::format("the answer has {} bytes, and what is under way for others leaves {} of {}",
                  response.body.size(), held_.left(), parts_.limits.held_bytes));
}

bool HttpServer::Core::Queue(MHD_Connection* handle, Connection& connection, HttpResponse response,
                             http::Share share) {
  connections_.Answering(connection, steady_clock::now());
  const auto status = static_cast<unsigned>(response.status);
  const http::Answer answer = http::AnswerOf(std::move(response), std::move(share));
  return answer && MHD_queue_response(handle, status, answer.get()) == MHD_YES;
}

bool HttpServer::Core::QueueStream(MHD_Connection* handle, Connection& connection,
                                   HttpResponse response) {
  auto reader = std::make_unique<Reader>(Reader{.core = this,
                                                .connection = &connection,
                                                .next = std::move(response.stream),
                                                .share = http::Share(held_),
                                                .chunk = {}});
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
    // What has gone out is let go of first, with its memory.
    std::string().swap(reader->chunk);
    reader->share.Resize(0);
    reader->given = 0;
    auto chunk = reader->next();
    if (!chunk) return MHD_CONTENT_READER_END_OF_STREAM;
    // Without room the stream ends; its client comes back with the last ID that it has.
    if (!reader->share.Resize(chunk->capacity())) return MHD_CONTENT_READER_END_OF_STREAM;
    reader->chunk = std::move(*chunk);
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
