#pragma once

#include <microhttpd.h>

#include <optional>
#include <string_view>

#include "platform/http/access.h"
#include "platform/http/connections.h"
#include "platform/http/message.h"

namespace jettison::http {

// The head of a request as libmicrohttpd hands it over.
struct Head {
  MHD_Connection* handle;
  std::string_view path;  // decoded
  std::string_view method;
  std::string_view version;
};

// What is wrong with a request as far as its head tells; absent: its body may come.
[[nodiscard]] std::optional<Refusal> RefusalOf(const Head& head, const Exchange& exchange,
                                               const HttpLimits& limits);

// The request, all of it being there.
[[nodiscard]] HttpRequest RequestOf(const Head& head, Exchange exchange,
                                    const Connection& connection);

}  // namespace jettison::http
