#pragma once

#include <microhttpd.h>

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "http/server/access.h"
#include "http/server/connections.h"

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

// How long the body of a request that was not refused will be.
[[nodiscard]] std::size_t BodyBytes(const Head& head);

// The request, all of it being there.
[[nodiscard]] HttpRequest RequestOf(const Head& head, std::string body,
                                    const Connection& connection);

// Whether a page of another origin had its browser ask: an Origin that is not the Host's.
[[nodiscard]] bool IsForeign(std::string_view origin, std::string_view host);

}  // namespace jettison::http
