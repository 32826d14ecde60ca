#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/http/client.h"
#include "units/result.h"

namespace jettison::http {

// Takes the bytes of an event stream as they come and gives the events that are whole
// (https://html.spec.whatwg.org/multipage/server-sent-events.html). Comments and `retry` are passed
// over; an event without data is none.
class EventParser {
 public:
  // An event of more than `max_bytes` is an error (kInternal); nothing may be fed any more then.
  explicit EventParser(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  [[nodiscard]] Result<std::vector<HttpEvent>> Feed(std::string_view bytes);

 private:
  void TakeLine(std::string_view line, std::vector<HttpEvent>& events);

  std::size_t max_bytes_;
  std::string pending_;         // the beginning of a line
  bool ended_with_cr_ = false;  // a line feed that follows belongs to it
  HttpEvent event_;
  bool has_data_ = false;
};

}  // namespace jettison::http
