#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/fault.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/mailbox.h"

namespace jettison::kube {

// The address of an API server and the credentials for it. Everything that had to be read from
// files is contained; a token in a file may change at any time (AccessSource).
struct ApiAccess {
  std::string origin;  // where this comes from: "kubeconfig /etc/x, context y", "service account"
  std::string server;  // "https://10.0.0.1:6443"
  std::string path_prefix;
  std::string server_name;  // empty: the server's host
  std::string ca_pem;       // empty: those that the system trusts
  std::string ca_name;      // where they come from, for messages: a file, or a key and its file
  std::string cert_pem;     // with key_pem; empty: none
  std::string key_pem;
  std::string token;       // empty: none; of a token file: as it was read with the rest
  std::string token_file;  // comes before another token
};

// A certificate or a key: the text itself, or the file that it is in.
struct PemSource {
  std::string text;
  std::string file;  // absolute where the kubeconfig's own path is
  [[nodiscard]] bool is_given() const { return !text.empty() || !file.empty(); }
};

// What the current context of a kubeconfig says. No file that it names has been read.
struct Kubeconfig {
  std::string context;
  ApiAccess access;  // without what is in files
  PemSource ca;
  PemSource certificate;
  PemSource key;
  Faults faults;  // every one, with file and key: "users[0].user.exec"
};

// Reads the text of a kubeconfig (v1 Config); `file` names it and is where relative paths count
// from. Of its contexts only the current one is looked at. Faults are also: what would have to be
// run or asked for a token (exec, auth-provider), passwords, impersonation, proxies, and a server
// whose certificate is not to be looked at, for the agent would show its token to anybody.
[[nodiscard]] Kubeconfig ReadKubeconfig(std::string_view text, const std::string& file);

struct AccessReading {
  ApiAccess access;
  Faults faults;  // every one; `access` is not to be used where there are any
};

// By a kubeconfig and the files that it names.
[[nodiscard]] AccessReading AccessByKubeconfig(const std::string& path);

// The token in a file: one line. kInvalidArgument where there is none in it.
[[nodiscard]] Result<std::string> ReadToken(const std::string& path);

// Where a pod finds its service account.
struct ServiceAccount {
  std::string host;  // $KUBERNETES_SERVICE_HOST
  std::string port;  // $KUBERNETES_SERVICE_PORT
  std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};
// As the environment of this process says.
[[nodiscard]] ServiceAccount OwnServiceAccount();

// By the service account of the pod that this runs in: `token` and `ca.crt`.
[[nodiscard]] AccessReading AccessByServiceAccount(const ServiceAccount& account);

// The access to an API server whose token and certificates others replace before they expire: they
// are read again every minute, and soon after a connection failed; and the token at once when the
// server refused it. What cannot be read or used, as while it is being replaced, stays as it was.
//
// What else may change in a kubeconfig is not taken over.
class AccessSource {
 public:
  static constexpr Duration kReadEvery = std::chrono::minutes(1);
  static constexpr Duration kReadAfterFailure = std::chrono::seconds(10);

  using Read = std::function<AccessReading()>;

  // `access` was read now; `read` null: its certificates never change. `read` is called, and the
  // token file read, `elsewhere`; null: in Changed and Refused.
  AccessSource(ApiAccess access, Read read, Instant now, Elsewhere elsewhere = {});

  // Takes what was read, and reads again where that is due. Returns the access to the same server
  // where it has other certificates than those in use.
  [[nodiscard]] std::optional<ApiAccess> Changed(Instant now);
  // These certificates are in use now.
  void Use(ApiAccess access);
  // A connection failed.
  void Failed() { is_doubted_ = true; }
  // The server refused the agent.
  void Refused(Instant now);

  // Empty where no token is configured.
  [[nodiscard]] const std::string& token() const { return access_.token; }
  // Why the token could not be read the last time.
  [[nodiscard]] const std::optional<Error>& token_fault() const { return token_fault_; }

 private:
  struct Again {
    AccessReading access;
    std::optional<Result<std::string>> token;  // absent: there is no file of it
  };

  [[nodiscard]] bool IsDue(Instant now) const;
  void Begin(Instant now);
  std::optional<ApiAccess> TakeRead();
  // Whether it is the same server with other certificates.
  [[nodiscard]] bool HasOtherCertificates(const ApiAccess& read) const;

  ApiAccess access_;
  Read read_;
  std::optional<Instant> read_at_;
  bool is_doubted_ = false;
  std::optional<Error> token_fault_;
  LateReading<Again> reading_;
};

}  // namespace jettison::kube
