#pragma once

#include <microhttpd.h>

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "http/peers/bearer_token.h"
#include "http/server/connections.h"
#include "http/server/daemon.h"
#include "http/server/ledger.h"
#include "http/server/server.h"
#include "http/server/streams.h"

namespace jettison::http {

// A header of the request, its name in any case; none: it was not sent.
[[nodiscard]] inline std::optional<std::string_view> HeaderOf(MHD_Connection* handle,
                                                              const char* name) {
  const char* value = MHD_lookup_connection_value(handle, MHD_HEADER_KIND, name);
  if (value == nullptr) return std::nullopt;
  return value;
}

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

// What is held for all clients together.
struct HeldMemory {
  explicit HeldMemory(const HttpLimits& limits)
      : all(limits.held_bytes), bodies(limits.bodies_bytes, &all) {}
  Ledger all;
  Ledger bodies;  // a part of it
};

// Which clients may ask, and what answers them.
struct Service {
  HttpHandler handler;
  HttpErrorAnswer error_answer;
  Access access{std::nullopt, false, ""};
};

// Takes requests as libmicrohttpd tells of them, and answers.
class Responder final : public DaemonEvents {
 public:
  // All must outlive this.
  Responder(const HttpLimits& limits, Service& service, Connections& connections, HeldMemory& held,
            Streams& streams)
      : limits_(limits),
        service_(service),
        connections_(connections),
        held_(held),
        streams_(streams) {}

  void OnTarget(Connection& connection, const char* target) override;
  bool OnRequest(Connection& connection, MHD_Connection* handle, const char* path,
                 const char* method, const char* version, std::string_view bytes) override;
  void OnAnswered(Connection& connection) override;
  void OnClosed(Connection& connection) override;

 private:
  bool Begin(const Head& head, Connection& connection);
  bool Answer(const Head& head, Connection& connection);
  bool AnswerLater(const Head& head, Connection& connection);
  bool Send(const Head& head, Connection& connection, HttpResponse response);
  bool AnswerStream(MHD_Connection* handle, Connection& connection, HttpResponse response);
  // Why one more stream cannot be served; absent: it can.
  [[nodiscard]] std::optional<Refusal> RefusalOfStream() const;
  bool Refuse(MHD_Connection* handle, Connection& connection, const Refusal& refusal);
  // Queues an answer that its share has been taken of.
  bool Queue(MHD_Connection* handle, Connection& connection, HttpResponse response, Share share);
  bool Offer(MHD_Connection* handle, Connection& connection, HttpResponse response);
  bool RefuseForRoom(MHD_Connection* handle, Connection& connection, std::string message);

  const HttpLimits& limits_;
  Service& service_;
  Connections& connections_;
  HeldMemory& held_;
  Streams& streams_;
};

}  // namespace jettison::http
