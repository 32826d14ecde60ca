#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "http/client/transfers.h"
#include "ports/clock.h"
#include "ports/mailbox.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/credentials/api_access.h"

namespace jettison::kube {

// A stream that is asked for, and its limits.
struct ApiStream {
  std::string path;
  Duration timeout{0};         // for the whole
  Duration answers_within{0};  // until it begins
  Duration silence{0};         // between two bytes; zero: no limit
};

// A client of an API server, on connections that stay open. It belongs to one thread, which calls
// Turn when it has nothing else to do. Turn may take as long as a handshake, so this must not be
// the thread that decides. Names are looked up on a thread of libcurl's own.
class ApiClient {
 public:
  using Id = HttpTransfers::Id;
  // The answer, whatever its status, or why there is none (HttpTransfers::OnEnd).
  // kPermissionDenied: the certificate of the server is not trusted; the message names the CA.
  using OnReply = std::function<void(const Result<ApiReply>&)>;
  using OnBytes = HttpTransfers::OnBytes;

  // `clock` must outlive it. `read` reads the access again, in Call and Stream (AccessSource);
  // null: its certificates never change. That and the token file are read `elsewhere`, while calls
  // use what was read last; null: in Call and Stream.
  [[nodiscard]] static Result<std::unique_ptr<ApiClient>> Open(const ApiAccess& access,
                                                               const Clock& clock,
                                                               AccessSource::Read read = {},
                                                               Elsewhere elsewhere = {});

  // Makes a call. The whole answer, at most `most_bytes`, is delivered in a later Turn.
  Id Call(const ApiCall& call, Duration timeout, OnReply on_reply,
          std::size_t most_bytes = kMostBytes);
  Id Stream(const ApiStream& stream, OnBytes on_bytes, OnReply on_end);
  // Cancels a call or stream: none of its callbacks is called any more.
  void Cancel(Id id) { transfers_->Cancel(id); }

  // Waits for at most so long until anything happens, and calls back for all that did.
  void Turn(Duration most) { transfers_->Turn(most); }
  // Ends a Turn that waits. On any thread.
  void Wake() { transfers_->Wake(); }

  // Why the token could not be read the last time.
  [[nodiscard]] const std::optional<Error>& token_fault() const { return access_.token_fault(); }

  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

 private:
  ApiClient(const ApiAccess& access, const Clock& clock, AccessSource::Read read,
            Elsewhere elsewhere, std::unique_ptr<HttpTransfers> transfers);
  // Uses another token and other certificates where they have been replaced.
  void RefreshAccess();
  [[nodiscard]] HttpTransfers::OnEnd TakingEnd(OnReply on_reply);

  const Clock& clock_;
  std::string path_prefix_;
  std::string ca_name_;
  AccessSource access_;
  std::unique_ptr<HttpTransfers> transfers_;
};

// Makes one call and waits for its answer, for a program that has nothing else to do.
[[nodiscard]] Result<ApiReply> AskNow(ApiClient& client, const ApiCall& call, Duration timeout);

}  // namespace jettison::kube
