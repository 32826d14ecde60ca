#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/agent_config.h"
#include "core/config/testing/test_documents.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct HttpReading {
  HttpConfig config;
  std::vector<std::string> faults;
};

HttpReading ReadHttp(const std::string& text) {
  const ConfigReading reading = Jettison("http: " + text + "\n");
  return {.config = reading.config.http, .faults = Described(reading.faults)};
}

TEST(HttpConfiguration, NothingSaidMeansTheSocketAlone) {
  const HttpReading read = ReadHttp("{}");
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(read.config.socket, "/run/jettison/jettison.sock");
  EXPECT_EQ(read.config.address, "");
}

TEST(HttpConfiguration, EveryFieldIsTakenOver) {
  const HttpReading read = ReadHttp(R"(
  socket: /s/j.sock
  socketGroup: adm
  address: 0.0.0.0:10350
  tlsCertFile: /c.pem
  tlsPrivateKeyFile: /k.pem
  clientCAFile: /ca.pem
  bearerTokenFile: /token
)");
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(read.config.socket, "/s/j.sock");
  EXPECT_EQ(read.config.socket_group, "adm");
  EXPECT_EQ(read.config.address, "0.0.0.0:10350");
  EXPECT_EQ(read.config.tls_cert_file, "/c.pem");
  EXPECT_EQ(read.config.tls_private_key_file, "/k.pem");
  EXPECT_EQ(read.config.client_ca_file, "/ca.pem");
  EXPECT_EQ(read.config.bearer_token_file, "/token");
}

TEST(HttpConfiguration, AnEmptyTextMeansNone) {
  const HttpReading read = ReadHttp("{socket: '', address: '', bearerTokenFile: ''}");
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(read.config.socket, "");
}

TEST(HttpConfiguration, ALoopbackAddressNeedsNothing) {
  for (const char* text :
       {"{address: 127.0.0.1:80}", "{address: '[::1]:80'}",
        "{address: 127.0.0.1:80, bearerTokenFile: /t}",
        "{address: 127.0.0.1:80, tlsCertFile: /c, tlsPrivateKeyFile: /k}",
        "{address: 127.0.0.1:80, tlsCertFile: /c, tlsPrivateKeyFile: /k, clientCAFile: /ca}"}) {
    EXPECT_THAT(ReadHttp(text).faults, IsEmpty()) << text;
  }
}

TEST(HttpConfiguration, AnotherAddressNeedsTlsAndWhoMayAsk) {
  EXPECT_THAT(ReadHttp("{address: 0.0.0.0:80}").faults,
              ElementsAre(HasSubstr("needs TLS"), HasSubstr("who they are")));
  EXPECT_THAT(ReadHttp("{address: '[::]:80', bearerTokenFile: /t}").faults,
              ElementsAre(HasSubstr("needs TLS")));
  EXPECT_THAT(ReadHttp("{address: 10.0.0.1:80, tlsCertFile: /c, tlsPrivateKeyFile: /k}").faults,
              ElementsAre(HasSubstr("who they are")));
  for (const char* who : {"clientCAFile", "bearerTokenFile"}) {
    EXPECT_THAT(ReadHttp(std::string("{address: 10.0.0.1:80, tlsCertFile: /c, tlsPrivateKeyFile: "
                                     "/k, ") +
                         who + ": /w}")
                    .faults,
                IsEmpty());
  }
}

TEST(HttpConfiguration, EachWrongFieldIsAFault) {
  const std::pair<const char*, const char*> rows[] = {
      {"{sokcet: /a}", "did you mean \"socket\""},
      {"{socket: run/j.sock}", "must be an absolute path"},
      {"{socket: /a/../b}", "must not contain '..'"},
      {"{socket: 7}", "must be text"},
      {"{socketGroup: 'a b'}", "name or number of a group"},
      {"{socket: '', socketGroup: adm}", "has no effect"},
      {"{address: localhost:80}", "must be an IP address with a port"},
      {"{address: 127.0.0.1}", "must be an IP address with a port"},
      {"{address: 127.0.0.1:0}", "from 1 to 65535"},
      {"{address: 80}", "must be text"},
      {"{address: 127.0.0.1:80, tlsCertFile: /c}", "needs tlsPrivateKeyFile"},
      {"{address: 127.0.0.1:80, tlsPrivateKeyFile: /k}", "needs tlsCertFile"},
      {"{address: 127.0.0.1:80, clientCAFile: /k}", "need TLS"},
      {"{address: 127.0.0.1:80, bearerTokenFile: k}", "must be an absolute path"},
      {"{bearerTokenFile: /k}", "has no effect without address"},
  };
  for (const auto& [text, fault] : rows) {
    EXPECT_THAT(ReadHttp(text).faults, ElementsAre(HasSubstr(fault))) << text;
  }
  const std::string longest(108, 'a');
  EXPECT_THAT(ReadHttp("{socket: /" + longest + "}").faults,
              ElementsAre(HasSubstr("at most 107 bytes")));
}

TEST(HttpConfiguration, AllFaultsAreToldAtOnceWithTheirField) {
  const HttpReading read = ReadHttp("{adress: 1, socket: x, address: 1.2.3.4:80, tlsCertFile: /c}");
  EXPECT_THAT(read.faults, SizeIs(4));
  EXPECT_THAT(read.faults.front(), HasSubstr("c.yaml: http.adress"));
}

TEST(HttpConfiguration, OnTcpTheAgentMakesItselfATokenUnlessSaidOtherwise) {
  EXPECT_FALSE(ReadHttp("{}").config.WantsOwnToken());
  EXPECT_TRUE(ReadHttp("{address: '127.0.0.1:1'}").config.WantsOwnToken());
  EXPECT_FALSE(ReadHttp("{address: '127.0.0.1:1', bearerTokenFile: /t}").config.WantsOwnToken());
  const HttpReading open = ReadHttp("{address: '127.0.0.1:1', allowAnyLocalUser: true}");
  EXPECT_THAT(open.faults, IsEmpty());
  EXPECT_FALSE(open.config.WantsOwnToken());
  for (const char* wrong :
       {"{allowAnyLocalUser: true}",
        "{address: '127.0.0.1:1', bearerTokenFile: /t, allowAnyLocalUser: true}",
        "{address: '127.0.0.1:1', allowAnyLocalUser: yes please}"}) {
    EXPECT_THAT(ReadHttp(wrong).faults, SizeIs(1)) << wrong;
  }
}

TEST(HttpConfiguration, OfAnotherOnlyTheNamesOfFilesThatBothHaveAreTakenOver) {
  const HttpConfig running{.address = "127.0.0.1:1",
                           .tls_cert_file = "/a.crt",
                           .tls_private_key_file = "/a.key",
                           .client_ca_file = "/a.ca"};
  const HttpConfig next = WithFilesOf(running, {.address = "127.0.0.1:2",
                                                .tls_cert_file = "/b.crt",
                                                .tls_private_key_file = "/b.key",
                                                .bearer_token_file = "/b.token"});
  EXPECT_EQ(next.address, "127.0.0.1:1");
  EXPECT_EQ(next.tls_cert_file, "/b.crt");
  EXPECT_EQ(next.tls_private_key_file, "/b.key");
  EXPECT_EQ(next.client_ca_file, "/a.ca") << "it was removed";
  EXPECT_EQ(next.bearer_token_file, "") << "it was added";
  EXPECT_EQ(WithFilesOf(running, {.client_ca_file = "/b.ca"}).client_ca_file, "/b.ca");
  EXPECT_EQ(WithFilesOf({.bearer_token_file = "/a"}, {.bearer_token_file = "/b"}).bearer_token_file,
            "/b");
}

}  // namespace
}  // namespace jettison
