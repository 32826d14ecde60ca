#include "http/server/streams.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "http/server/answer.h"

namespace jettison::http {

using std::chrono::steady_clock;

namespace {

// What a stream fills of libmicrohttpd's buffer at once, at most.
constexpr std::size_t kStreamBlock = 16384;

// Clients of event streams come back with the last ID that they have.
bool IsResumed(std::string_view content_type) {
  return content_type.starts_with("text/event-stream");
}

}  // namespace

// A stream on its way to one client.
struct Streams::Reader {
  Streams* streams;
  Connection* connection;
  HttpStream next;
  bool is_resumed;        // by its client, where it ends early
  Share share;            // of the chunk
  std::string chunk;      // what is going out
  std::size_t given = 0;  // bytes of it that are on their way
};

bool Streams::HasRoom() const {
  return held_.left() >= kStreamBlock;
}

bool Streams::Queue(MHD_Connection* handle, Connection& connection, HttpResponse response) {
  auto reader = std::make_unique<Reader>(Reader{.streams = this,
                                                .connection = &connection,
                                                .next = std::move(response.stream),
                                                .is_resumed = IsResumed(response.content_type),
                                                .share = Share(held_),
                                                .chunk = {}});
  const Answer answer(
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kStreamBlock, &Read, reader.get(),
                                        [](void* done) { delete static_cast<Reader*>(done); }));
  if (!answer) return false;
  (void)reader.release();  // the answer frees it
  AddHeaders(answer.get(), response);
  connections_.Answering(connection, steady_clock::now());
  connection.has_stream = true;
  connection.handle = handle;
  // To hear of the client's going while the stream is suspended.
  if (!poller_.Watch(connection.descriptor, EPOLLRDHUP | EPOLLONESHOT)) return false;
  return MHD_queue_response(handle, static_cast<unsigned>(response.status), answer.get()) ==
         MHD_YES;
}

void Streams::Ended(const Connection& connection) {
  if (connection.has_stream) poller_.Forget(connection.descriptor);
}

ssize_t Streams::Read(void* reader_pointer, std::uint64_t /*position*/, char* buffer,
                      std::size_t size) {
  auto* reader = static_cast<Reader*>(reader_pointer);
  Connection& connection = *reader->connection;
  if (connection.is_cut) return Cut(connection);
  if (reader->given == reader->chunk.size()) {
    // What has gone out is let go of first, with its memory.
    std::string().swap(reader->chunk);
    reader->share.Resize(0);
    reader->given = 0;
    const unsigned wakes = reader->streams->wakes_;
    auto chunk = reader->next();
    if (!chunk) return Cut(connection);
    if (!*chunk) return MHD_CONTENT_READER_END_OF_STREAM;
    if (!reader->share.Resize((*chunk)->capacity())) {  // there is no room
      return reader->is_resumed ? MHD_CONTENT_READER_END_OF_STREAM : Cut(connection);
    }
    reader->chunk = **std::move(chunk);
    if (reader->chunk.empty()) {
      reader->streams->Rest(connection, wakes);
      return 0;
    }
    reader->streams->connections_.Answering(connection, steady_clock::now());
  }
  const std::size_t part = std::min(size, reader->chunk.size() - reader->given);
  std::copy_n(reader->chunk.data() + reader->given, part, buffer);
  reader->given += part;
  return static_cast<ssize_t>(part);
}

// Not as an error: libmicrohttpd 0.9.75 forgets to clear away some connections that end so. It will
// find the socket shut when it sends the end, which the client therefore does not get.
ssize_t Streams::Cut(Connection& connection) {
  connection.is_cut = true;
  ::shutdown(connection.descriptor, SHUT_RDWR);
  return MHD_CONTENT_READER_END_OF_STREAM;
}

bool Streams::Park(MHD_Connection* handle, Connection& connection, unsigned wakes) {
  connection.handle = handle;
  const bool is_new = !std::exchange(connection.has_stream, true);
  if (is_new && !poller_.Watch(connection.descriptor, EPOLLRDHUP | EPOLLONESHOT)) return false;
  Rest(connection, wakes);
  return true;
}

void Streams::Unpark(Connection& connection) {
  if (std::exchange(connection.has_stream, false)) poller_.Forget(connection.descriptor);
}

// A wake that came after the stream was asked, but before it counted as resting, has woken nobody.
void Streams::Rest(Connection& connection, unsigned wakes) {
  Connections::Waiting(connection);
  ++resting_;
  if (wakes_ != wakes) missed_wake_ = true;
  MHD_suspend_connection(connection.handle);
}

void Streams::Resume() {
  missed_wake_ = false;
  for (Connection* connection : connections_.All()) {
    if (connection->phase != Phase::kWaiting) continue;
    connections_.Answering(*connection, steady_clock::now());
    --resting_;
    MHD_resume_connection(connection->handle);
  }
}

}  // namespace jettison::http
