#include "platform/http/event_parser.h"

#include <fmt/format.h>

namespace jettison::http {

Result<std::vector<HttpEvent>> EventParser::Feed(std::string_view bytes) {
  std::vector<HttpEvent> events;
  while (!bytes.empty()) {
    if (ended_with_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
    ended_with_cr_ = false;
    const std::size_t end = bytes.find_first_of("\r\n");
    pending_.append(bytes.substr(0, end));
    if (pending_.size() + event_.data.size() > max_bytes_) {
      return Fail(ErrorCode::kInternal, fmt::format("an event has more than {} bytes", max_bytes_));
    }
    if (end == std::string_view::npos) break;
    ended_with_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    TakeLine(pending_, events);
    pending_.clear();
  }
  return events;
}

void EventParser::TakeLine(std::string_view line, std::vector<HttpEvent>& events) {
  if (line.empty()) {
    if (has_data_) {
      if (event_.type.empty()) event_.type = "message";
      events.push_back(event_);
    }
    event_.type.clear();
    event_.data.clear();
    has_data_ = false;
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  } else if (field == "event") {
    event_.type = value;
  } else if (field == "id" && value.find('\0') == std::string_view::npos) {
    event_.id = value;
  }
}

}  // namespace jettison::http
