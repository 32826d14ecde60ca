#include "http/server/answers.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace jettison::http {

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

// The Connection that TellConnection laid beside it; null where that was not known.
Connection* ConnectionOf(MHD_Connection* handle) {
  const MHD_ConnectionInfo* info =
      MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == nullptr ? nullptr : static_cast<Connection*>(info->socket_context);
}

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

Refusal WithoutRoom(std::string message) {
  return {503, std::move(message) + "; try again soon", {"Retry-After", "1"}};
}

}  // namespace

// A stream on its way to one client.
struct Answers::Reader {
  Answers* answers;
  MHD_Connection* handle;
  Connection* connection;
  HttpStream next;
  bool is_resumed;  // by its client, where it ends early
  std::shared_ptr<void> share{};
  std::string chunk{};    // what is going out
  std::size_t given = 0;  // bytes of it that are on their way

  // Ends a stream that is not complete. Not as an error: libmicrohttpd 0.9.75 forgets to clear away
  // some connections that end so. It will find the socket shut when it sends the end, which the
  // client therefore does not get.
  ssize_t Break() const {
    connection->is_cut = true;
    ::shutdown(connection->descriptor, SHUT_RDWR);
    return MHD_CONTENT_READER_END_OF_STREAM;
  }
};

void Answers::TellConnection(void* self, MHD_Connection* handle, void** place,
                             MHD_ConnectionNotificationCode what) {
  auto& answers = *static_cast<Answers*>(self);
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    const MHD_ConnectionInfo* info =
        MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD);
    const auto found =
        info == nullptr ? answers.connections_.end() : answers.connections_.find(info->connect_fd);
    *place = found == answers.connections_.end() ? nullptr : found->second.get();
    return;
  }
  auto* const connection = static_cast<Connection*>(std::exchange(*place, nullptr));
  if (connection == nullptr) return;
  answers.ReleaseStream(*connection);
  answers.connections_.erase(connection->descriptor);
}

void* Answers::TellTarget(void* self, const char* target, MHD_Connection* handle) {
  Connection* const connection = ConnectionOf(handle);
  if (connection == nullptr) return nullptr;
  if (connection->phase == Phase::kIdle) {  // else counted from when it came
    connection->phase = Phase::kReceiving;
    connection->deadline = steady_clock::now() + static_cast<Answers*>(self)->limits_.request;
  }
  connection->exchange = {.target = target};
  return nullptr;
}

// First the head of a request comes; then each part of its body; then that all of it is there (no
// bytes). An answer may be queued at the first and at the last call.
MHD_Result Answers::TellRequest(void* self, MHD_Connection* handle, const char* path,
                                const char* method, const char* version, const char* bytes,
                                std::size_t* size, void** /*seen*/) {
  Connection* const connection = ConnectionOf(handle);
  if (connection == nullptr) return MHD_NO;
  const std::string_view part = *size == 0 ? std::string_view() : std::string_view(bytes, *size);
  *size = 0;
  const bool goes_on =
      static_cast<Answers*>(self)->Take({handle, path, method, version}, *connection, part);
  return goes_on ? MHD_YES : MHD_NO;
}

// The answer is out, or the connection broke meanwhile.
void Answers::TellAnswered(void* self, MHD_Connection* handle, void** /*seen*/,
                           MHD_RequestTerminationCode /*why*/) {
  Connection* const connection = ConnectionOf(handle);
  if (connection == nullptr) return;
  auto& answers = *static_cast<Answers*>(self);
  answers.ReleaseStream(*connection);
  connection->phase = Phase::kIdle;
  connection->exchange = {};
  connection->since = steady_clock::now();
  connection->deadline = connection->since + answers.limits_.idle;
}

bool Answers::Take(const Head& head, Connection& connection, std::string_view bytes) {
  Exchange& exchange = connection.exchange;
  if (!std::exchange(exchange.has_begun, true)) return Begin(head, connection);
  if (bytes.empty()) return Answer(head, connection);
  // Content-Length has been looked at, so this cannot be, but what it guards is memory.
  if (bytes.size() > limits_.body_bytes - exchange.body.size()) return false;
  if (exchange.body.empty()) exchange.body.reserve(exchange.length);
  exchange.body.append(bytes);
  return true;
}

bool Answers::Begin(const Head& head, Connection& connection) {
  Exchange& exchange = connection.exchange;
  auto refusal = access_.RefusalOf(head.handle, connection);
  if (!refusal) refusal = RefusalOf(head, exchange, limits_);
  if (refusal) return Refuse(head.handle, connection, *refusal);
  exchange.share = bodies_.Take(exchange.length);
  if (exchange.share) return true;
  return Refuse(head.handle, connection,
                WithoutRoom("the bodies of other requests leave too little memory for this one"));
}

bool Answers::Answer(const Head& head, Connection& connection) {
  HttpResponse response;
  try {
    response = handler_(RequestOf(head, std::exchange(connection.exchange.body, {})));
  } catch (const std::exception& e) {
    return Refuse(head.handle, connection, {500, e.what(), {}});
  }
  connection.exchange.share.reset();
  if (head.method == "HEAD") response.stream = nullptr;
  if (response.stream) return SendStream(head.handle, connection, std::move(response));
  auto share = answers_.Take(response.body.capacity() + kAnswerBytes);
  if (share) return Queue(head.handle, connection, std::move(response), std::move(share));
  return Refuse(
      head.handle, connection,
      WithoutRoom(fmt::format("the answer has {} bytes, and other requests leave {} of {}",
                              response.body.size(), answers_.left(), limits_.held_bytes)));
}

bool Answers::SendStream(MHD_Connection* handle, Connection& connection, HttpResponse response) {
  if (streams_ >= limits_.streams) {
    return Refuse(handle, connection,
                  {503,
                   fmt::format("there are {} streams already, which is the limit; try again later",
                               limits_.streams),
                   {"Retry-After", "10"}});
  }
  ++streams_;
  connection.has_stream = true;
  // Clients of event streams come back with the last ID that they have.
  const bool is_resumed = response.content_type.starts_with("text/event-stream");
  auto reader = std::make_unique<Reader>(Reader{.answers = this,
                                                .handle = handle,
                                                .connection = &connection,
                                                .next = std::move(response.stream),
                                                .is_resumed = is_resumed});
  const Answered answer(
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kStreamBlock, &ReadStream, reader.get(),
                                        [](void* done) { delete static_cast<Reader*>(done); }));
  if (!answer) return false;
  (void)reader.release();  // the answer frees it
  AddHeaders(answer.get(), response);
  Answering(connection);
  return MHD_queue_response(handle, static_cast<unsigned>(response.status), answer.get()) ==
         MHD_YES;
}

bool Answers::Refuse(MHD_Connection* handle, Connection& connection, const Refusal& refusal) {
  HttpResponse response = error_answer_(refusal.status, refusal.message);
  response.status = refusal.status;
  response.stream = nullptr;
  if (!refusal.header.first.empty()) response.headers.push_back(refusal.header);
  return Queue(handle, connection, std::move(response), nullptr);
}

bool Answers::Queue(MHD_Connection* handle, Connection& connection, HttpResponse response,
                    std::shared_ptr<void> share) {
  Answering(connection);
  const auto status = static_cast<unsigned>(response.status);
  const Answered answer = AnswerOf(std::move(response), std::move(share));
  return answer && MHD_queue_response(handle, status, answer.get()) == MHD_YES;
}

// The next bytes of a stream, or that there are none now, or never again.
ssize_t Answers::ReadStream(void* reader_pointer, std::uint64_t /*position*/, char* buffer,
                            std::size_t size) {
  Reader& reader = *static_cast<Reader*>(reader_pointer);
  Connection& connection = *reader.connection;
  if (connection.is_cut) return reader.Break();
  if (reader.given == reader.chunk.size()) {
    // What has gone out is let go of first, with its memory.
    std::string().swap(reader.chunk);
    reader.share.reset();
    reader.given = 0;
    auto chunk = reader.next();
    if (!chunk) return reader.Break();
    if (!*chunk) return MHD_CONTENT_READER_END_OF_STREAM;
    reader.share = reader.answers->answers_.Take((*chunk)->capacity());
    if (!reader.share) {
      return reader.is_resumed ? MHD_CONTENT_READER_END_OF_STREAM : reader.Break();
    }
    reader.chunk = **std::move(chunk);
    if (reader.chunk.empty()) {
      if (HasGone(connection.descriptor)) return reader.Break();
      connection.phase = Phase::kWaiting;
      connection.handle = reader.handle;
      MHD_suspend_connection(reader.handle);
      return 0;
    }
    reader.answers->Answering(connection);
  }
  const std::size_t part = std::min(size, reader.chunk.size() - reader.given);
  std::copy_n(reader.chunk.data() + reader.given, part, buffer);
  reader.given += part;
  return static_cast<ssize_t>(part);
}

void Answers::ReleaseStream(Connection& connection) {
  if (std::exchange(connection.has_stream, false)) --streams_;
}

void Answers::Resume(Connection& connection) {
  if (connection.phase != Phase::kWaiting) return;
  Answering(connection);
  MHD_resume_connection(connection.handle);
}

void Answers::ResumeAll() {
  for (const auto& [descriptor, connection] : connections_) Resume(*connection);
}

void Answers::Answering(Connection& connection) const {
  connection.phase = Phase::kAnswering;
  connection.deadline = steady_clock::now() + limits_.answer;
}

}  // namespace jettison::http
