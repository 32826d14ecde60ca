#include "http/server/responder.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "http/server/answer.h"

namespace jettison::http {

using std::chrono::steady_clock;

void Responder::OnTarget(Connection& connection, const char* target) {
  connections_.RequestBegan(connection, steady_clock::now());
  connection.exchange = {.target = target};
}

bool Responder::OnRequest(Connection& connection, MHD_Connection* handle, const char* path,
                          const char* method, const char* version, std::string_view bytes) {
  const Head head{handle, path, method, version};
  if (!std::exchange(connection.exchange.has_begun, true)) return Begin(head, connection);
  if (connection.exchange.later) return AnswerLater(head, connection);
  if (bytes.empty()) return Answer(head, connection);
  std::string& body = connection.exchange.body;
  // Content-Length has been looked at, so this cannot be, but what it guards is memory.
  if (bytes.size() > limits_.body_bytes - body.size()) return false;
  if (body.empty()) body.reserve(connection.exchange.length);
  body.append(bytes);
  return true;
}

void Responder::OnAnswered(Connection& connection) {
  streams_.Ended(connection);
  connections_.Answered(connection, steady_clock::now());
}

void Responder::OnClosed(Connection& connection) {
  connections_.Remove(connection.descriptor);
}

bool Responder::Begin(const Head& head, Connection& connection) {
  if (const auto refusal = service_.access.RefusalOf(head.handle, connection)) {
    return Refuse(head.handle, connection, *refusal);
  }
  if (const auto refusal = RefusalOf(head, connection.exchange, limits_)) {
    return Refuse(head.handle, connection, *refusal);
  }
  Exchange& exchange = connection.exchange;
  exchange.length = BodyBytes(head);
  exchange.share = Share(held_.bodies);
  if (exchange.share.Resize(exchange.length)) return true;
  return RefuseForRoom(head.handle, connection,
                       "the bodies of other requests leave too little memory for this one");
}

bool Responder::Answer(const Head& head, Connection& connection) {
  HttpResponse response;
  {
    std::string body = std::move(connection.exchange.body);
    const Share of_body = std::move(connection.exchange.share);
    Share share(held_.all);
    if (!body.empty() && !share.Resize(limits_.handler_bytes)) {
      return RefuseForRoom(head.handle, connection,
                           "other requests leave too little memory to read this body");
    }
    try {
      response = service_.handler(RequestOf(head, std::move(body), connection));
    } catch (const std::exception& e) {
      return Refuse(head.handle, connection, {500, e.what(), {}});
    }
  }
  if (!response.later) return Send(head, connection, std::move(response));
  if (const auto refusal = RefusalOfStream()) return Refuse(head.handle, connection, *refusal);
  connection.exchange.later = std::move(response.later);
  return AnswerLater(head, connection);
}

// Called again when the connection is resumed.
bool Responder::AnswerLater(const Head& head, Connection& connection) {
  if (connection.is_cut) return false;
  const unsigned wakes = streams_.wakes();
  std::optional<HttpResponse> response;
  try {
    response = connection.exchange.later();
  } catch (const std::exception& e) {
    response = service_.error_answer(500, e.what());
  }
  if (!response) return streams_.Park(head.handle, connection, wakes);
  streams_.Unpark(connection);
  connection.exchange.later = nullptr;
  return Send(head, connection, *std::move(response));
}

bool Responder::Send(const Head& head, Connection& connection, HttpResponse response) {
  if (head.method == "HEAD") response.stream = nullptr;
  if (response.stream) return AnswerStream(head.handle, connection, std::move(response));
  return Offer(head.handle, connection, std::move(response));
}

std::optional<Refusal> Responder::RefusalOfStream() const {
  if (!streams_.HasRoom()) {
    return Refusal{503,
                   "other requests leave too little memory to open a stream; try again soon",
                   {"Retry-After", "1"}};
  }
  if (connections_.streams() < limits_.streams) return std::nullopt;
  return Refusal{503,
                 fmt::format("there are {} streams already, which is the limit; try again later",
                             limits_.streams),
                 {"Retry-After", "10"}};
}

bool Responder::AnswerStream(MHD_Connection* handle, Connection& connection,
                             HttpResponse response) {
  if (const auto refusal = RefusalOfStream()) return Refuse(handle, connection, *refusal);
  return streams_.Queue(handle, connection, std::move(response));
}

bool Responder::Refuse(MHD_Connection* handle, Connection& connection, const Refusal& refusal) {
  HttpResponse response = service_.error_answer(refusal.status, refusal.message);
  response.status = refusal.status;
  response.stream = nullptr;
  if (!refusal.header.first.empty()) response.headers.push_back(refusal.header);
  // A sentence; there are no more of them than connections.
  Share share(held_.all);
  share.Count(BytesOf(response));
  return Queue(handle, connection, std::move(response), std::move(share));
}

bool Responder::RefuseForRoom(MHD_Connection* handle, Connection& connection, std::string message) {
  return Refuse(handle, connection,
                {503, std::move(message) + "; try again soon", {"Retry-After", "1"}});
}

bool Responder::Offer(MHD_Connection* handle, Connection& connection, HttpResponse response) {
  Share share(held_.all);
  if (share.Resize(BytesOf(response))) {
    return Queue(handle, connection, std::move(response), std::move(share));
  }
  return RefuseForRoom(handle, connection,
                       fmt::format("the answer has {} bytes, and other requests leave {} of {}",
                                   response.body.size(), held_.all.left(), limits_.held_bytes));
}

bool Responder::Queue(MHD_Connection* handle, Connection& connection, HttpResponse response,
                      Share share) {
  connections_.Answering(connection, steady_clock::now());
  const auto status = static_cast<unsigned>(response.status);
  const http::Answer answer = AnswerOf(std::move(response), std::move(share));
  return answer && MHD_queue_response(handle, status, answer.get()) == MHD_YES;
}

}  // namespace jettison::http
