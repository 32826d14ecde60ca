#include "sources/kubernetes/client/api_client.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace jettison::kube {
namespace {

constexpr int kUnauthorized = 401;
// Used for an answer that is too large for us, as servers use it for requests.
constexpr int kPayloadTooLarge = 413;

HttpPeer PeerOf(const ApiAccess& access) {
  return {.endpoint = access.server,
          .server_name = access.server_name,
          .ca_pem = access.ca_pem,
          .cert_pem = access.cert_pem,
          .key_pem = access.key_pem};
}

// Whether the cause may be a certificate: libcurl gives the same code where nobody listens.
bool MayBeOfTls(const Error& error) {
  return error.code == ErrorCode::kPermissionDenied || error.code == ErrorCode::kUnavailable;
}

// A certificate that is not trusted is compared with one CA among several that a person may mean.
Error Explained(const Error& error, const std::string& ca_name) {
  if (error.code != ErrorCode::kPermissionDenied || ca_name.empty()) return error;
  return {error.code, fmt::format("{} (CA: {})", error.message, ca_name)};
}

}  // namespace

Result<std::unique_ptr<ApiClient>> ApiClient::Open(const ApiAccess& access, const Clock& clock,
                                                   AccessSource::Read read, Elsewhere elsewhere) {
  auto transfers = HttpTransfers::Open(PeerOf(access));
  if (!transfers) return Fail(transfers.error());
  return std::unique_ptr<ApiClient>(
      new ApiClient(access, clock, std::move(read), std::move(elsewhere), std::move(*transfers)));
}

ApiClient::ApiClient(const ApiAccess& access, const Clock& clock, AccessSource::Read read,
                     Elsewhere elsewhere, std::unique_ptr<HttpTransfers> transfers)
    : clock_(clock),
      path_prefix_(access.path_prefix),
      ca_name_(access.ca_name),
      access_(access, std::move(read), clock.Now(), std::move(elsewhere)),
      transfers_(std::move(transfers)) {}

HttpTransfers::OnEnd ApiClient::TakingEnd(OnReply on_reply) {
  return [this, on_reply = std::move(on_reply)](Result<HttpAnswer> answer) {
    if (!answer) {
      if (MayBeOfTls(answer.error())) access_.Failed();
      return on_reply(Fail(Explained(answer.error(), ca_name_)));
    }
    if (answer->status == kUnauthorized) access_.Refused(clock_.Now());
    if (answer->is_too_large) {
      return on_reply(ApiReply{.status = kPayloadTooLarge});
    }
    on_reply(ApiReply{.status = answer->status,
                      .body = std::move(answer->body),
                      .retry_after = answer->retry_after});
  };
}

void ApiClient::RefreshAccess() {
  auto changed = access_.Changed(clock_.Now());
  if (changed && transfers_->UseTls(PeerOf(*changed))) access_.Use(*std::move(changed));
}

ApiClient::Id ApiClient::Call(const ApiCall& call, Duration timeout, OnReply on_reply,
                              std::size_t most_bytes) {
  RefreshAccess();
  return transfers_->Start({.method = call.method,
                            .path = path_prefix_ + call.path,
                            .content_type = call.content_type,
                            .body = call.body,
                            .bearer_token = access_.token(),
                            .timeout = timeout,
                            .most_bytes = most_bytes},
                           TakingEnd(std::move(on_reply)));
}

ApiClient::Id ApiClient::Stream(const ApiStream& stream, OnBytes on_bytes, OnReply on_end) {
  RefreshAccess();
  return transfers_->Start({.path = path_prefix_ + stream.path,
                            .bearer_token = access_.token(),
                            .timeout = stream.timeout,
                            .answers_within = stream.answers_within,
                            .silence = stream.silence,
                            .most_bytes = kMostBytes},
                           TakingEnd(std::move(on_end)), std::move(on_bytes));
}

Result<ApiReply> AskNow(ApiClient& client, const ApiCall& call, Duration timeout) {
  std::optional<Result<ApiReply>> got;
  client.Call(call, timeout, [&got](const Result<ApiReply>& reply) { got = reply; });
  while (!got) client.Turn(timeout);
  return *std::move(got);
}

}  // namespace jettison::kube
