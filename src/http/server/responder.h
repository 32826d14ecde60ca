#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/server/access.h"
#include "http/server/connections.h"
#include "http/server/daemon.h"
#include "http/server/exchange.h"
#include "http/server/ledger.h"
#include "http/server/server.h"
#include "http/server/streams.h"

namespace jettison::http {

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
