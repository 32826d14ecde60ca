#include "platform/http/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jettison::http {

Answer AnswerOf(HttpResponse response) {
  auto body = std::make_unique<std::string>(std::move(response.body));
  void* bytes = body->data();
  const std::size_t size = body->size();
  Answer answer(MHD_create_response_from_buffer_with_free_callback_cls(
      size, bytes, [](void* text) { delete static_cast<std::string*>(text); }, body.get()));
  if (!answer) return nullptr;
  (void)body.release();  // the answer frees it
  AddHeaders(answer.get(), response);
  return answer;
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
