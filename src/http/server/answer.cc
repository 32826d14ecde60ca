#include "http/server/answer.h"

#include <fmt/format.h>

#include <utility>

namespace jettison::http {

Answer AnswerOf(HttpResponse response, Share share) {
  struct Body {
    std::string text;
    Share share;
  };
  auto body = std::make_unique<Body>(Body{std::move(response.body), std::move(share)});
  void* bytes = body->text.data();
  const std::size_t size = body->text.size();
  Answer answer(MHD_create_response_from_buffer_with_free_callback_cls(
      size, bytes, [](void* sent) { delete static_cast<Body*>(sent); }, body.get()));
  if (!answer) return nullptr;
  (void)body.release();  // the answer frees it
  AddHeaders(answer.get(), response);
  return answer;
}

std::size_t BytesOf(const HttpResponse& response) {
  constexpr std::size_t kOfLibrary = 1024;  // headers, and the answer itself
  return response.body.capacity() + kOfLibrary;
}

void AddHeaders(MHD_Response* answer, const HttpResponse& response) {
  MHD_add_response_header(answer, "Content-Type", response.content_type.c_str());
  MHD_add_response_header(answer, "X-Content-Type-Options", "nosniff");
  bool says_cache = false;
  for (const auto& [name, value] : response.headers) {
    MHD_add_response_header(answer, name.c_str(), value.c_str());
    says_cache = says_cache || name == "Cache-Control";
  }
  if (!says_cache) MHD_add_response_header(answer, "Cache-Control", "no-store");
}

std::string WrittenOut(const HttpResponse& response) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      response.status, MHD_get_reason_phrase_for(static_cast<unsigned>(response.status)),
      response.content_type, response.body.size(), response.body);
}

}  // namespace jettison::http
