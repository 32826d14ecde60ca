#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/units/duration.h"
#include "ports/late_reading.h"
#include "sources/kubernetes/credentials/api_access.h"

namespace jettison::kube {

// Reads the certificates for an API server again, because others replace them before they expire:
// every two minutes, and soon after a connection failed or the server refused the agent.
//
// What else may change in a kubeconfig is not taken over (NeedRestart).
class AccessSource {
 public:
  static constexpr Duration kReadEvery = std::chrono::minutes(2);
  static constexpr Duration kReadAfterFailure = std::chrono::seconds(10);

  using Read = std::function<AccessReading()>;

  // `access` was read now; `read` null: it never changes. It is called `elsewhere`; null: in
  // Changed.
  AccessSource(ApiAccess access, Read read, Instant now, Elsewhere elsewhere = {})
      : access_(std::move(access)),
        read_(std::move(read)),
        read_at_(now),
        reading_(std::move(elsewhere)) {}

  // The access to the same server with other certificates than those in use. Absent: they are the
  // same, it is not time to read them, they are being read, or what there is cannot be read or
  // used, as while they are being replaced.
  [[nodiscard]] std::optional<ApiAccess> Changed(Instant now);
  // These are in use now.
  void Use(ApiAccess access) { access_ = std::move(access); }
  // A connection failed, or the server refused the agent.
  void Failed() { is_doubted_ = true; }

 private:
  [[nodiscard]] bool IsDue(Instant now) const;
  // Whether it is the same server with other certificates.
  [[nodiscard]] bool HasOtherCertificates(const ApiAccess& read) const;

  ApiAccess access_;
  Read read_;
  Instant read_at_;
  bool is_doubted_ = false;
  LateReading<AccessReading> reading_;
};

// The keys of a kubeconfig in which `read` differs from the access `in_use` and that AccessSource
// does not take over: "server", "tls-server-name", "token", "tokenFile", in this order.
[[nodiscard]] std::vector<std::string> NeedRestart(const ApiAccess& in_use, const ApiAccess& read);

}  // namespace jettison::kube
