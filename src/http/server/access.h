#pragma once

#include <microhttpd.h>

#include <optional>
#include <string>

#include "http/peers/bearer_token.h"
#include "http/server/connections.h"

namespace jettison::http {

// An error that the server itself answers with.
struct Refusal {
  int status = 400;
  std::string message;
  std::pair<std::string, std::string> header;  // name, value; empty: none
};

// Decides which clients may send requests.
class Access {
 public:
  // Without a token and a CA, every client may ask. `own_token_file`: where root finds the token,
  // if the agent has made it itself.
  Access(std::optional<BearerToken> token, bool has_client_ca, std::string own_token_file)
      : token_(std::move(token)),
        has_client_ca_(has_client_ca),
        own_token_file_(std::move(own_token_file)) {}

  // Another token from now on, where one is asked for.
  void SetToken(BearerToken token) { token_ = std::move(token); }

  // Why the client may not ask; absent: it may. A client of the unix socket may ask. On TCP a
  // client needs one of the configured means: a certificate or a token. Where neither is
  // configured, which is possible on a loopback address only, the Host must be an IP address or
  // localhost. Otherwise a web page whose name resolves to this machine could make a browser send
  // requests. The same page could reach a socket that is forwarded to a port of a browser's
  // machine, so the Host must not be a domain name there.
  [[nodiscard]] std::optional<Refusal> RefusalOf(MHD_Connection* handle, Connection& connection);

 private:
  [[nodiscard]] std::string WhatIsNeeded() const;

  std::optional<BearerToken> token_;
  bool has_client_ca_;
  std::string own_token_file_;
};

// Whether a Host header names no host that is found by name: "127.0.0.1:80", "[::1]", "localhost".
[[nodiscard]] bool IsHostLocal(std::string_view host);

// The same, or a word without a dot, which clients of a unix socket put there, or nothing.
[[nodiscard]] bool IsHostOfSocket(std::string_view host);

}  // namespace jettison::http
