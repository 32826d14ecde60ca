// links: jettison_http
//
// What a server may send: an answer, and a stream of events in its body. It must make no difference
// in which pieces the bytes come. The first byte says how large they are.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/http/endpoint.h"
#include "platform/http/event_parser.h"
#include "platform/http/response_parser.h"

namespace {

using jettison::HttpEvent;
using jettison::HttpResponse;

constexpr std::size_t kMostBytes = 4096;

// Absent where it was refused.
std::optional<HttpResponse> Answer(std::string_view bytes, std::size_t step) {
  jettison::http::ResponseParser parser(kMostBytes);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    if (!parser.Feed(bytes.substr(0, step))) return std::nullopt;
  }
  if (!parser.End()) return std::nullopt;
  if (parser.response().body.size() > kMostBytes) std::abort();
  return parser.response();
}

std::optional<std::vector<HttpEvent>> Events(std::string_view bytes, std::size_t step) {
  jettison::http::EventParser parser(kMostBytes);
  std::vector<HttpEvent> all;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    const auto events = parser.Feed(bytes.substr(0, step));
    if (!events) return std::nullopt;
    all.insert(all.end(), events->begin(), events->end());
  }
  return all;
}

bool IsSame(const HttpEvent& a, const HttpEvent& b) {
  return a.id == b.id && a.type == b.type && a.data == b.data;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t step = 1 + data[0] % 64;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);

  const auto whole = Answer(bytes, size);
  const auto pieces = Answer(bytes, step);
  if (whole.has_value() != pieces.has_value()) std::abort();
  if (whole && (whole->status != pieces->status || whole->body != pieces->body ||
                whole->content_type != pieces->content_type || whole->headers != pieces->headers)) {
    std::abort();
  }
  const std::string_view stream = whole ? std::string_view(whole->body) : bytes;
  const auto events = Events(stream, size);
  const auto events_in_pieces = Events(stream, step);
  if (events.has_value() != events_in_pieces.has_value()) std::abort();
  if (events && !std::equal(events->begin(), events->end(), events_in_pieces->begin(),
                            events_in_pieces->end(), &IsSame)) {
    std::abort();
  }
  if (const auto endpoint = jettison::http::ParseEndpoint(bytes)) (void)endpoint->Authority();
  return 0;
}
