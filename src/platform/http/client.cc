#include "platform/http/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/redaction.h"
#include "platform/http/base64.h"
#include "platform/http/client_wire.h"
#include "platform/http/event_parser.h"
#include "platform/http/response_parser.h"

namespace jettison {
namespace {

using http::ClientWire;
using http::Deadline;
using http::ResponseParser;

// What is asked, but for whom.
struct Question {
  std::string_view method;
  const std::string& path;
  std::string headers;  // each with its line break
  std::string_view body;
};

bool HasBreak(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
}

Result<std::string> RequestText(const Question& question, const HttpTarget& target,
                                const http::Endpoint& endpoint) {
  const bool is_odd = !question.path.starts_with('/') || HasBreak(question.path) ||
                      question.path.find(' ') != std::string::npos || HasBreak(target.bearer_token);
  if (is_odd) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is no path that can be asked for", RedactedUrl(question.path)));
  }
  std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: jettison\r\nConnection: close\r\n{}",
                  question.method, question.path, endpoint.Authority(), question.headers);
  if (!target.bearer_token.empty()) {
    text += fmt::format("Authorization: Bearer {}\r\n", target.bearer_token);
  }
  if (target.bearer_token.empty() && !target.basic_credentials.empty()) {
    text += fmt::format("Authorization: Basic {}\r\n", http::Base64(target.basic_credentials));
  }
  text += "\r\n";
  text += question.body;
  return text;
}

// Sends the question and reads until the parser has the head; the wire, for the rest.
Result<ClientWire> Begin(const HttpTarget& target, const Question& question, Deadline deadline,
                         ResponseParser& parser) {
  auto wire = ClientWire::Connect(target, deadline);
  if (!wire) return Fail(wire.error());
  const auto text = RequestText(question, target, wire->endpoint());
  if (!text) return Fail(text.error());
  const auto fail = [&target](const Error& error) { return Fail(error.In(target.endpoint)); };
  if (auto sent = wire->Send(*text, deadline); !sent) return fail(sent.error());
  while (!parser.has_head()) {
    const auto bytes = wire->Receive(deadline);
    if (!bytes) return fail(bytes.error());
    const auto fed = bytes->empty() ? parser.End() : parser.Feed(*bytes);
    if (!fed) return fail(fed.error());
  }
  return wire;
}

Result<void> Finish(ClientWire& wire, Deadline deadline, ResponseParser& parser) {
  while (!parser.is_done()) {
    const auto bytes = wire.Receive(deadline);
    if (!bytes) return Fail(bytes.error());
    if (auto fed = bytes->empty() ? parser.End() : parser.Feed(*bytes); !fed) return fed;
  }
  return {};
}

Deadline DeadlineOf(const HttpTarget& target) {
  return std::chrono::steady_clock::now() + target.timeout;
}

Result<HttpResponse> Ask(const HttpTarget& target, const Question& question) {
  const Deadline deadline = DeadlineOf(target);
  ResponseParser parser(target.max_response_bytes);
  auto wire = Begin(target, question, deadline, parser);
  if (!wire) return Fail(wire.error());
  if (auto finished = Finish(*wire, deadline, parser); !finished) {
    return Fail(finished.error().In(target.endpoint));
  }
  return std::move(parser.response());
}

// An answer that is no event stream, as an error.
tl::unexpected<Error> NoStream(const HttpTarget& target, const HttpResponse& response) {
  return Fail(ErrorCode::kUnavailable,
              fmt::format("{} has no event stream for us: {} {}", target.endpoint, response.status,
                          response.body.substr(0, response.body.find('\n'))));
}

}  // namespace

Result<HttpResponse> HttpGet(const HttpTarget& target, const std::string& path) {
  return Ask(target, {.method = "GET", .path = path});
}

Result<HttpResponse> HttpPost(const HttpTarget& target, const std::string& path,
                              const std::string& body, const std::string& content_type) {
  if (HasBreak(content_type)) {
    return Fail(ErrorCode::kInvalidArgument, "a content type must be one line");
  }
  return Ask(target, {.method = "POST",
                      .path = path,
                      .headers = fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n",
                                             content_type, body.size()),
                      .body = body});
}

class HttpEventStream::Core {
 public:
  Core(ClientWire wire, ResponseParser parser, std::size_t max_bytes)
      : wire_(std::move(wire)), parser_(std::move(parser)), events_(max_bytes) {}

  [[nodiscard]] int descriptor() const { return wire_.descriptor(); }

  Result<std::vector<HttpEvent>> Read() {
    for (;;) {
      // The first time, what came with the head.
      auto events = events_.Feed(std::exchange(parser_.response().body, {}));
      if (!events || !events->empty()) return events;
      if (parser_.is_done()) return Fail(ErrorCode::kUnavailable, "the server ended the stream");
      auto bytes = wire_.TryReceive();
      if (!bytes) return Fail(Error{ErrorCode::kUnavailable, bytes.error().message});
      if (!*bytes) return events;
      if (auto fed = (*bytes)->empty() ? parser_.End() : parser_.Feed(**bytes); !fed) {
        return Fail(Error{ErrorCode::kUnavailable, fed.error().message});
      }
    }
  }

 private:
  ClientWire wire_;
  ResponseParser parser_;
  http::EventParser events_;
};

HttpEventStream::HttpEventStream(std::unique_ptr<Core> core) : core_(std::move(core)) {}
HttpEventStream::~HttpEventStream() = default;

Result<std::unique_ptr<HttpEventStream>> HttpEventStream::Open(const HttpTarget& target,
                                                               const std::string& path,
                                                               const std::string& last_event_id) {
  if (HasBreak(last_event_id)) {
    return Fail(ErrorCode::kInvalidArgument, "the id of an event must be one line");
  }
  std::string headers = "Accept: text/event-stream\r\n";
  if (!last_event_id.empty()) headers += fmt::format("Last-Event-ID: {}\r\n", last_event_id);
  const Deadline deadline = DeadlineOf(target);
  ResponseParser parser(target.max_response_bytes);
  auto wire = Begin(target, {.method = "GET", .path = path, .headers = headers}, deadline, parser);
  if (!wire) return Fail(wire.error());
  const HttpResponse& response = parser.response();
  if (response.status != 200 || !response.content_type.starts_with("text/event-stream")) {
    const auto finished = Finish(*wire, deadline, parser);
    return finished ? NoStream(target, response) : Fail(finished.error());
  }
  return std::unique_ptr<HttpEventStream>(new HttpEventStream(
      std::make_unique<Core>(std::move(*wire), std::move(parser), target.max_response_bytes)));
}

int HttpEventStream::descriptor() const {
  return core_->descriptor();
}
Result<std::vector<HttpEvent>> HttpEventStream::Read() {
  return core_->Read();
}

std::string EncodedForUrl(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace jettison
