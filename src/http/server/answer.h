#pragma once

#include <microhttpd.h>

#include <memory>
#include <string>

#include "http/message.h"
#include "http/server/ledger.h"

namespace jettison::http {

struct DestroyResponse {
  void operator()(MHD_Response* response) const { MHD_destroy_response(response); }
};
// An answer of libmicrohttpd; connections that send it hold it, too.
using Answer = std::unique_ptr<MHD_Response, DestroyResponse>;

// The answer without its stream; the share goes when it does. Null where there is no memory.
[[nodiscard]] Answer AnswerOf(HttpResponse response, Share share);

// What an answer takes of memory on its way.
[[nodiscard]] std::size_t BytesOf(const HttpResponse& response);

// Adds the headers that `response` asks for, and those of every answer: content is what its type
// says, and nobody keeps it. One that is no header (a line break in it) is left out.
void AddHeaders(MHD_Response* answer, const HttpResponse& response);

// The answer as it goes out on the wire where libmicrohttpd cannot send it; the connection ends
// then.
[[nodiscard]] std::string WrittenOut(const HttpResponse& response);

}  // namespace jettison::http
