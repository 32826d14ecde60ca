#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "http/client/transfers_test_fixture.h"
#include "http/testing/test_certificates.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison::http {
namespace {

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Certificates in a folder, and a server that has one of them.
class TlsTransfers : public Transfers {
 protected:
  void SetUp() override {
    const TestCertificate ca("ca", nullptr, nullptr);
    const TestCertificate other("other", nullptr, nullptr);
    const TestCertificate server("server", &ca, GNUTLS_KP_TLS_WWW_SERVER);
    const TestCertificate client("client", &ca, GNUTLS_KP_TLS_WWW_CLIENT);
    ca.Write(folder_.path(), "ca");
    other.Write(folder_.path(), "other");
    server.Write(folder_.path(), "server");
    client.Write(folder_.path(), "client");
    TestCertificate("stranger", &other, GNUTLS_KP_TLS_WWW_CLIENT).Write(folder_.path(), "stranger");
    Serve([](const HttpRequest&) -> HttpResponse { return {.body = "safe"}; },
          {.tls_cert_file = Path("server.pem"),
           .tls_private_key_file = Path("server.key"),
           .client_ca_file = Path("ca.pem")});
  }
  [[nodiscard]] std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  [[nodiscard]] HttpPeer Peer(const std::string& ca, const std::string& client = "client") {
    return {.endpoint = "https://127.0.0.1:" + Port(),
            .ca_pem = TextOf(Path(ca)),
            .cert_pem = TextOf(Path(client + ".pem")),
            .key_pem = TextOf(Path(client + ".key"))};
  }
  // Whether a request is answered by who knows the client.
  [[nodiscard]] bool IsLetIn() {
    answers_.clear();
    Ask({.path = "/"});
    return Answered() && answers_[0] && answers_[0]->status == 200;
  }
  kernel::TemporaryFolder folder_;
};

TEST_F(TlsTransfers, CertificatesAndKeysComeAsTexts) {
  Connect(Peer("ca.pem"));
  Ask({.path = "/"});
  ASSERT_TRUE(Answered());
  ASSERT_TRUE(answers_[0]) << answers_[0].error().message;
  EXPECT_EQ(answers_[0]->body, "safe");
}

TEST_F(TlsTransfers, AServerOfAnotherCaOrNameGetsNothing) {
  Connect(Peer("other.pem"));
  Ask({.path = "/", .bearer_token = "secret"});
  ASSERT_TRUE(Answered());
  HttpPeer named = Peer("ca.pem");
  named.server_name = "somebody-else";
  Connect(named);
  Ask({.path = "/", .bearer_token = "secret"});
  ASSERT_TRUE(Answered(2));
  for (const auto& answer : answers_) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kPermissionDenied) << answer.error().message;
  }
}

TEST_F(TlsTransfers, CertificatesThatAreReplacedArePresentedByTheNextConnection) {
  Connect(Peer("ca.pem"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(IsLetIn());
    ASSERT_TRUE(transfers_->UseTls(Peer("ca.pem", "stranger")));
    EXPECT_FALSE(IsLetIn()) << "the connection of before is not used";
    ASSERT_TRUE(transfers_->UseTls(Peer("ca.pem")));
  }
  ASSERT_TRUE(transfers_->UseTls(Peer("other.pem")));
  EXPECT_FALSE(IsLetIn()) << "the server is not of this CA";
}

}  // namespace
}  // namespace jettison::http
